import { once } from 'node:events'
import { LINK_TOKEN_TTL_MS } from '../../server/src/features/link/sessions/link-session.ts'
import type { Child } from './child.ts'
import type { Figures } from './figures.ts'
import { type Ask, putLoad, warmUpSeconds } from './load.ts'
import type { Job } from './options.ts'
import { runPgbench } from './pgbench.ts'
import { countWaitingCodes, USERS, userId } from './seed.ts'
import { confirmScript, mintScript } from './service-statements.ts'
import type { Stage } from './stage.ts'

export type Subject = 'service' | 'pgbench' | 'bare route' | 'oidc-provider'
export type Measurement = {
  job: Job
  subject: Subject
  connections: number
  measure(): Promise<Figures>
}

/** Codes a second, to begin with. Those in memory cost little to bring. */
const FIRST_GUESS = { one: 2000, many: 5000 }
const FIRST_GUESS_IN_MEMORY = { one: 5000, many: 10_000 }

/** How many codes to bring: half as many again as the best round so far would have used. */
const createForecast = (
  { seconds, connections }: { seconds: number; connections: number },
  firstGuess = FIRST_GUESS,
) => {
  let expected = connections === 1 ? firstGuess.one : firstGuess.many
  return {
    count: () => Math.ceil(expected * (seconds + warmUpSeconds(seconds))),
    learn: ({ perSecond }: Figures) => {
      expected = Math.max(expected, perSecond * 1.5)
    },
  }
}

type Setting = { stage: Stage; seconds: number; connections: number }

const bearer = ({ service }: Stage): Record<string, string> => ({
  authorization: `Bearer ${service.demo.testKey}`,
  'content-type': 'application/json',
})

const mint = ({ stage, seconds, connections }: Setting): Measurement => {
  const asks = Array.from(
    { length: USERS },
    (_, n): Ask => [`/api/v1/registered-users/${userId(n)}/link-token`, '{}'],
  )
  return {
    job: 'mint',
    subject: 'service',
    connections,
    measure: () =>
      putLoad({
        origin: stage.service.origin,
        headers: bearer(stage),
        expectedStatus: 201,
        asks,
        asksAreReusable: true,
        folder: stage.folder,
        connections,
        seconds,
      }),
  }
}

const confirm = ({ stage, seconds, connections }: Setting): Measurement => {
  const forecast = createForecast({ seconds, connections })
  return {
    job: 'confirm',
    subject: 'service',
    connections,
    measure: async () => {
      const codes = await stage.codes.issueCodes(forecast.count())
      const figures = await putLoad({
        origin: stage.service.origin,
        headers: bearer(stage),
        expectedStatus: 200,
        asks: codes.map(code => ['/api/v1/link-token/confirm', JSON.stringify({ code })]),
        asksAreReusable: false,
        folder: stage.folder,
        connections,
        seconds,
      })
      forecast.learn(figures)
      return figures
    },
  }
}

/** pgbench counts in whole seconds. */
const wholeSeconds = (seconds: number): number => Math.max(1, Math.round(seconds))

const pgbenchMint = ({ stage, seconds, connections }: Setting): Measurement => ({
  job: 'mint',
  subject: 'pgbench',
  connections,
  measure: async () =>
    runPgbench({
      ...stage,
      script: await mintScript(stage.service.demo, LINK_TOKEN_TTL_MS / 1000),
      clients: connections,
      seconds: wholeSeconds(seconds),
    }),
})

const pgbenchConfirm = ({ stage, connections, ...setting }: Setting): Measurement => {
  const seconds = wholeSeconds(setting.seconds)
  const forecast = createForecast({ seconds, connections })
  return {
    job: 'confirm',
    subject: 'pgbench',
    connections,
    measure: async () => {
      const first = await stage.codes.issueNumberedCodes(forecast.count())
      const before = await countWaitingCodes(stage.db)
      const figures = await runPgbench({
        ...stage,
        script: await confirmScript(stage.service.demo, connections),
        variables: { first, turn: 0 },
        clients: connections,
        seconds,
      })
      forecast.learn(figures)
      // A code that is not there costs less than one that is: such a run is not to be believed.
      const redeemed = before - (await countWaitingCodes(stage.db))
      return { ...figures, ranOut: redeemed < figures.answers }
    },
  }
}

const bareRoute = ({ stage, seconds, connections }: Setting): Measurement => ({
  job: 'mint',
  subject: 'bare route',
  connections,
  measure: () =>
    putLoad({
      origin: addressOf(stage.bareRoute),
      headers: bearer(stage),
      expectedStatus: 200,
      asks: [['/', '{}']],
      asksAreReusable: true,
      folder: stage.folder,
      connections,
      seconds,
    }),
})

const codeExchange = ({ stage, seconds, connections }: Setting): Measurement => {
  const forecast = createForecast({ seconds, connections }, FIRST_GUESS_IN_MEMORY)
  return {
    job: 'confirm',
    subject: 'oidc-provider',
    connections,
    measure: async () => {
      const provider = stage.codeExchange
      provider.process.send(forecast.count())
      const [bodies] = (await once(provider.process, 'message')) as [string[]]
      const figures = await putLoad({
        origin: addressOf(provider),
        headers: {
          authorization: `Basic ${Buffer.from('bench:bench-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        expectedStatus: 200,
        asks: bodies.map(body => ['/token', body]),
        asksAreReusable: false,
        folder: stage.folder,
        connections,
        seconds,
      })
      forecast.learn(figures)
      return figures
    },
  }
}

const addressOf = ({ ready }: Child): string => ready[1] ?? ''

/** In the order in which a round takes them: each beside the one it is compared with. */
export const listMeasurements = (
  stage: Stage,
  { seconds, connections, jobs }: { seconds: number; connections: number; jobs: readonly Job[] },
): Measurement[] => {
  const one = { stage, seconds, connections: 1 }
  const many = { stage, seconds, connections }
  const all = [
    mint(many),
    pgbenchMint(many),
    bareRoute(many),
    mint(one),
    bareRoute(one),
    confirm(many),
    pgbenchConfirm(many),
    codeExchange(many),
    confirm(one),
    codeExchange(one),
  ]
  return all.filter(({ job }) => jobs.includes(job))
}
