import { once } from 'node:events'
import { LINK_TOKEN_TTL_MS } from '@carabiner/contract/operations'
import type { Child } from './child.ts'
import type { Figures } from './figures.ts'
import { type LoadRequest, runLoad, warmUpSeconds } from './load.ts'
import type { Job } from './options.ts'
import { runPgbench } from './pgbench.ts'
import { countPendingCodes, USERS, userId } from './seed.ts'
import { confirmScript, mintScript } from './service-statements.ts'
import type { Stage } from './stage.ts'

export type Subject = 'service' | 'pgbench' | 'bare route' | 'oidc-provider'
export type Measurement = {
  job: Job
  subject: Subject
  connections: number
  measure(): Promise<Figures>
}

/** Initial estimates, in codes per second. Codes in memory are cheap to create, so their estimate is higher. */
const INITIAL_ESTIMATE = { one: 2000, many: 5000 }
const INITIAL_ESTIMATE_IN_MEMORY = { one: 5000, many: 10_000 }

/** Estimates the number of codes for a round: 1.5 times the codes used by the fastest round so far. */
const createForecast = (
  { seconds, connections }: { seconds: number; connections: number },
  initialEstimate = INITIAL_ESTIMATE,
) => {
  let expected = connections === 1 ? initialEstimate.one : initialEstimate.many
  return {
    count: () => Math.ceil(expected * (seconds + warmUpSeconds(seconds))),
    update: ({ perSecond }: Figures) => {
      expected = Math.max(expected, perSecond * 1.5)
    },
  }
}

type MeasurementContext = { stage: Stage; seconds: number; connections: number }

const bearer = ({ service }: Stage): Record<string, string> => ({
  authorization: `Bearer ${service.demo.testKey}`,
  'content-type': 'application/json',
})

const mint = ({ stage, seconds, connections }: MeasurementContext): Measurement => {
  const requests = Array.from(
    { length: USERS },
    (_, n): LoadRequest => [`/api/v1/registered-users/${userId(n)}/link-token`, '{}'],
  )
  return {
    job: 'mint',
    subject: 'service',
    connections,
    measure: () =>
      runLoad({
        origin: stage.service.origin,
        headers: bearer(stage),
        expectedStatus: 201,
        requests,
        requestsAreReusable: true,
        folder: stage.folder,
        connections,
        seconds,
      }),
  }
}

const confirm = ({ stage, seconds, connections }: MeasurementContext): Measurement => {
  const forecast = createForecast({ seconds, connections })
  return {
    job: 'confirm',
    subject: 'service',
    connections,
    measure: async () => {
      const codes = await stage.codes.issueCodes(forecast.count())
      const figures = await runLoad({
        origin: stage.service.origin,
        headers: bearer(stage),
        expectedStatus: 200,
        requests: codes.map(code => ['/api/v1/link-token/confirm', JSON.stringify({ code })]),
        requestsAreReusable: false,
        folder: stage.folder,
        connections,
        seconds,
      })
      forecast.update(figures)
      return figures
    },
  }
}

/** pgbench counts in whole seconds. */
const wholeSeconds = (seconds: number): number => Math.max(1, Math.round(seconds))

const pgbenchMint = ({ stage, seconds, connections }: MeasurementContext): Measurement => ({
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

const pgbenchConfirm = ({ stage, connections, ...context }: MeasurementContext): Measurement => {
  const seconds = wholeSeconds(context.seconds)
  const forecast = createForecast({ seconds, connections })
  return {
    job: 'confirm',
    subject: 'pgbench',
    connections,
    measure: async () => {
      const first = await stage.codes.issueNumberedCodes(forecast.count())
      const before = await countPendingCodes(stage.db)
      const figures = await runPgbench({
        ...stage,
        script: await confirmScript(stage.service.demo, connections),
        variables: { first, turn: 0 },
        clients: connections,
        seconds,
      })
      forecast.update(figures)
      // Looking up a missing code is cheaper than redeeming one, so the rate of an exhausted run is too high.
      const redeemed = before - (await countPendingCodes(stage.db))
      return { ...figures, exhausted: redeemed < figures.responses }
    },
  }
}

const bareRoute = ({ stage, seconds, connections }: MeasurementContext): Measurement => ({
  job: 'mint',
  subject: 'bare route',
  connections,
  measure: () =>
    runLoad({
      origin: addressOf(stage.bareRoute),
      headers: bearer(stage),
      expectedStatus: 200,
      requests: [['/', '{}']],
      requestsAreReusable: true,
      folder: stage.folder,
      connections,
      seconds,
    }),
})

const codeExchange = ({ stage, seconds, connections }: MeasurementContext): Measurement => {
  const forecast = createForecast({ seconds, connections }, INITIAL_ESTIMATE_IN_MEMORY)
  return {
    job: 'confirm',
    subject: 'oidc-provider',
    connections,
    measure: async () => {
      const provider = stage.codeExchange
      provider.process.send(forecast.count())
      const [bodies] = (await once(provider.process, 'message')) as [string[]]
      const figures = await runLoad({
        origin: addressOf(provider),
        headers: {
          authorization: `Basic ${Buffer.from('bench:bench-secret').toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        expectedStatus: 200,
        requests: bodies.map(body => ['/token', body]),
        requestsAreReusable: false,
        folder: stage.folder,
        connections,
        seconds,
      })
      forecast.update(figures)
      return figures
    },
  }
}

const addressOf = ({ ready }: Child): string => ready[1] ?? ''

/** In the order of execution: each measurement is next to the one that it is compared with. */
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
