import { cpus } from 'node:os'
import { type Figures, medianFigures } from '../figures.ts'
import { residentMegabytes } from '../start-and-rest.ts'
import { listMcpMeasurements, type McpSubject } from './mcp-measurements.ts'
import type { McpOptions } from './mcp-options.ts'
import { openMcpStage, PEERS } from './mcp-stage.ts'

export type McpMeasured = { subject: McpSubject; connections: number; rounds: Figures[]; median: Figures }

export type McpResult = {
  machine: { processors: string; node: string }
  options: Pick<McpOptions, 'seconds' | 'connections' | 'rounds'>
  measured: McpMeasured[]
  loadedMegabytes: number
}

/** `brief`: for the tests, which want to know that it runs: no history, and nothing is warmed up. */
type Running = McpOptions & { brief?: boolean }

export const runMcpBench = async (
  { seconds, connections, rounds, profile, only, brief = false }: Running,
  tell: (line: string) => void = () => undefined,
): Promise<McpResult> => {
  tell('starting the gateway, its upstream and its peers …')
  const withPeers = only === undefined || PEERS.some(peer => peer !== 'pass-through' && only.includes(peer))
  const stage = await openMcpStage({ profile, withPeers, withHistory: !brief })
  try {
    const measured = listMcpMeasurements(stage, { seconds, connections })
      .filter(({ subject }) => only === undefined || only.includes(subject))
      .map(measurement => ({ measurement, figures: [] as Figures[] }))
    // The first round warms all of them up.
    for (let round = brief ? 1 : 0; round <= rounds; round++) {
      for (const { measurement, figures } of measured) {
        const { subject, connections: at } = measurement
        const found = await measurement.measure()
        if (round > 0) figures.push(found)
        tell(`round ${round} of ${rounds}: ${subject}, ${at}: ${Math.round(found.perSecond)}/s`)
      }
      // What autovacuum would do at a moment of its own choosing.
      await stage.db.script('vacuum analyze')
    }
    const [processor] = cpus()
    return {
      machine: { processors: `${cpus().length} × ${processor?.model}`, node: process.version },
      options: { seconds, connections, rounds },
      measured: measured.map(({ measurement: { subject, connections: at }, figures }) => ({
        subject,
        connections: at,
        rounds: figures,
        median: medianFigures(figures),
      })),
      loadedMegabytes: residentMegabytes(stage.gateway.service.pid),
    }
  } finally {
    await stage.close()
  }
}
