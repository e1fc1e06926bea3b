// The thread of profiles of a store in Redis: waits for the network in place of the main thread.

import { serveProfiles } from '../stores/thread/serve-profiles.ts'
import { RedisPlace, type RedisPlaceOptions } from './redis-place.ts'

serveProfiles((given, onWarning) => new RedisPlace(given as RedisPlaceOptions, onWarning))
