// Decides who may open profiles: the rules of the posture first, then the application's own question, which may narrow what
// the rules let in and never widen it.

import type { HttpRequest } from '../base/http/request.ts'
import { isPromise, type Awaitable } from '../base/members.ts'
import { runOutsideExchanges } from '../http/kernel/current-exchange.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { withinBudget } from '../http/kernel/within-budget.ts'
import { accessQuestionFailed, errorWithheld } from '../base/log/lines.ts'
import type { Log } from '../base/log/logger.ts'
import type { Reply } from '../base/http/reply.ts'
import type { AccessKey } from './access-key.ts'
import { fromElsewhere, handInRefusal, refusal, type AccessRules } from './access.ts'
import { profilerRefusal } from './profiler-reply.ts'

/**
 * The application's own question for each request that the rules let in. `true` lets it in; everything else refuses, a throw,
 * a rejected promise and one that does not settle in time too.
 */
export type AccessQuestion = (context: HttpRequest) => Awaitable<boolean>

/** How long the function may take, in milliseconds. */
const defaultBudgetMs = 5000
/** How long it may hold up a page of the application, in milliseconds. */
const pageBudgetMs = 200

export interface ProfilerAccessOptions {
  readonly rules: AccessRules & { readonly key?: AccessKey | undefined }
  /** Default: the rules alone decide. */
  readonly question?: AccessQuestion | undefined
  readonly log: Log
  /** How long the function may take, in milliseconds. Default 5,000. */
  readonly budgetMs?: number
}

/** The one decision for pages, exports, the toolbar, errors shown in full and CPU profiles. */
export class ProfilerAccess {
  readonly #options: ProfilerAccessOptions

  constructor(options: ProfilerAccessOptions) {
    this.#options = options
  }

  /** Exchanges the key in the address for a cookie; `null` if there is nothing to exchange. */
  exchange(context: HttpRequest): Reply | null {
    const { rules } = this.#options
    return fromElsewhere(context, rules) === null ? (rules.key?.exchange(context) ?? null) : null
  }

  refused(): Reply {
    const { key, hostSetting } = this.#options.rules
    return profilerRefusal(key !== undefined, hostSetting)
  }

  /** Whether a page of the application may show what the profiler shows. Never rejects. */
  async admits(context: HttpRequest): Promise<boolean> {
    return (await this.refusal(context, pageBudgetMs)) === null
  }

  /** Whether a request may be shown an error in full. Where it may not, the log says why. Never rejects. */
  async showsErrors(context: HttpRequest): Promise<boolean> {
    const reason = await this.refusal(context, pageBudgetMs)
    if (reason !== null) this.#options.log.write(errorWithheld({ reason, peer: context.peerAddress }))
    return reason === null
  }

  /** Why a request is refused; `null` when it is let in. The reason is for the log. Never throws and never rejects. */
  refusal(
    context: HttpRequest,
    budgetMs: number = this.#options.budgetMs ?? defaultBudgetMs,
  ): Awaitable<string | null> {
    const { rules } = this.#options
    return this.#asked(context, refusal(context, rules), budgetMs)
  }

  /** The same for a request that hands spans or log lines in. */
  handInRefusal(context: HttpRequest): Awaitable<string | null> {
    const { rules, budgetMs = defaultBudgetMs } = this.#options
    return this.#asked(context, handInRefusal(context, rules), budgetMs)
  }

  #asked(context: HttpRequest, reason: string | null, budgetMs: number): Awaitable<string | null> {
    const { question } = this.#options
    if (reason !== null || question === undefined) return reason
    try {
      // Its queries do not count as work of the request that it decides about.
      const answer = runOutsideExchanges(() => question(context))
      if (!isPromise(answer)) return verdict(answer)
      const late = (): Error => new Error(`no result within ${budgetMs} ms`)
      return withinBudget(answer, budgetMs, late).then(verdict, (thrown: unknown) => this.#failed(thrown))
    } catch (thrown) {
      return this.#failed(thrown)
    }
  }

  #failed(thrown: unknown): string {
    this.#options.log.write(accessQuestionFailed(describeFailure(thrown)))
    return 'the access option of the application failed'
  }
}

/** Nothing that only looks like a yes lets anybody in. */
function verdict(answer: unknown): string | null {
  return answer === true ? null : 'the access option of the application says no'
}
