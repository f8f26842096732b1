import { cpus } from 'node:os'
import { medianFigures } from '../figures.ts'
import { listMcpMeasurements, type McpFigures, type McpSubject } from './mcp-measurements.ts'
import type { McpOptions } from './mcp-options.ts'
import { openMcpStage, PEERS } from './mcp-stage.ts'
import { describeCost, medianCost, memoryOfFamily } from './resource-use.ts'

export type McpMeasured = {
  subject: McpSubject
  connections: number
  rounds: McpFigures[]
  median: McpFigures
}

export type McpResult = {
  machine: { processors: string; node: string }
  options: Pick<McpOptions, 'seconds' | 'connections' | 'rounds' | 'admissionCommit' | 'processes'>
  measured: McpMeasured[]
  loadedMegabytes: number
}

/** `brief`: without existing data and warm-up, for tests that only check that the bench runs. */
type RunOptions = McpOptions & { brief?: boolean }

export const runMcpBench = async (
  { seconds, connections, rounds, profile, only, admissionCommit, processes, brief = false }: RunOptions,
  log: (line: string) => void = () => undefined,
): Promise<McpResult> => {
  log('starting the gateway, its upstream and its peers …')
  const withPeers = only === undefined || PEERS.some(peer => peer !== 'pass-through' && only.includes(peer))
  const withRamDisk = !brief && (only === undefined || only.includes('gateway, RAM disk'))
  const environment = { ADMISSION_COMMIT: admissionCommit, PROCESSES: String(processes) }
  const stage = await openMcpStage({ profile, environment, withPeers, withRamDisk, withHistory: !brief })
  try {
    const measured = listMcpMeasurements(stage, { seconds, connections })
      .filter(({ subject }) => only === undefined || only.includes(subject))
      .map(measurement => ({ measurement, figures: [] as McpFigures[] }))
    // The first round is a warm-up.
    for (let round = brief ? 1 : 0; round <= rounds; round++) {
      for (const { measurement, figures } of measured) {
        const { subject, connections: at } = measurement
        const sample = await measurement.measure()
        if (round > 0) figures.push(sample)
        const cost = sample.cost ? `, ${describeCost(sample.cost)}` : ''
        log(`round ${round} of ${rounds}: ${subject}, ${at}: ${Math.round(sample.perSecond)}/s${cost}`)
      }
      // Replaces autovacuum, which is off so that it does not run during a measurement.
      for (const served of [stage.gateway, stage.ramGateway]) await served?.db.script('vacuum analyze')
    }
    const [processor] = cpus()
    return {
      machine: { processors: `${cpus().length} × ${processor?.model}`, node: process.version },
      options: { seconds, connections, rounds, admissionCommit, processes },
      measured: measured.map(({ measurement: { subject, connections: at }, figures }) => ({
        subject,
        connections: at,
        rounds: figures,
        median: medianOf(figures),
      })),
      loadedMegabytes: memoryOfFamily(stage.gateway.service.pid),
    }
  } finally {
    await stage.close()
  }
}

const medianOf = (rounds: McpFigures[]): McpFigures => {
  const costs = rounds.flatMap(({ cost }) => cost ?? [])
  return { ...medianFigures(rounds), ...(costs.length > 0 && { cost: medianCost(costs) }) }
}
