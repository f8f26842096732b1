import { cpus } from 'node:os'
import { type Figures, medianFigures } from './figures.ts'
import { measureEmbeddedStarts, residentMegabytes, type Starts } from './measure-starts.ts'
import { listMeasurements, type Subject } from './measurements.ts'
import type { Job, Options } from './options.ts'
import { openStage } from './stage.ts'

export type Measured = {
  job: Job
  subject: Subject
  connections: number
  rounds: Figures[]
  median: Figures
}

export type BenchResult = {
  machine: { processors: string; node: string }
  options: Pick<Options, 'seconds' | 'connections' | 'rounds' | 'ramDisk'>
  measured: Measured[]
  starts: { postgres: Starts; embedded?: Starts }
  loadedMegabytes: number
}

export const runBench = async (
  options: Options,
  log: (line: string) => void = () => undefined,
): Promise<BenchResult> => {
  const { seconds, connections, ramDisk } = options
  log('starting the service …')
  const embedded = options.embedded ? await measureEmbeddedStarts() : undefined
  const stage = await openStage(options)
  try {
    const measurements = listMeasurements(stage, options)
    const rounds = new Map(measurements.map(measurement => [measurement, [] as Figures[]]))
    for (let round = 1; round <= options.rounds; round++) {
      for (const measurement of measurements) {
        const { job, subject, connections: at } = measurement
        const figures = await measurement.measure()
        rounds.get(measurement)?.push(figures)
        log(
          `round ${round} of ${options.rounds}: ${job}, ${subject}, ${at}: ${Math.round(figures.perSecond)}/s`,
        )
      }
    }
    const [processor] = cpus()
    return {
      machine: { processors: `${cpus().length} × ${processor?.model}`, node: process.version },
      options: { seconds, connections, rounds: options.rounds, ramDisk },
      measured: measurements.map(measurement => {
        const { job, subject } = measurement
        const figures = rounds.get(measurement) ?? []
        return {
          job,
          subject,
          connections: measurement.connections,
          rounds: figures,
          median: medianFigures(figures),
        }
      }),
      starts: { postgres: stage.starts, ...(embedded && { embedded }) },
      loadedMegabytes: residentMegabytes(stage.service.pid),
    }
  } finally {
    await stage.close()
  }
}
