// The application. `fanlight()` gives it the profiler and the error pages in development, and does nothing in production.

import 'reflect-metadata'
import { Module, type INestApplication, type OnApplicationShutdown } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { fanlight } from 'fanlight/nest'
import { Notes } from './notes.ts'
import { NotesController } from './notes-controller.ts'

export async function createApp(notes: Notes): Promise<INestApplication> {
  @Module({ controllers: [NotesController], providers: [{ provide: Notes, useValue: notes }] })
  class AppModule implements OnApplicationShutdown {
    onApplicationShutdown(): void {
      notes.close()
    }
  }
  return fanlight(await NestFactory.create(AppModule, { logger: ['warn', 'error', 'fatal'] }))
}
