import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { MINUTE } from '../../core/duration.ts'
import type { Log } from '../log.ts'

type ResultCode = Parameters<Parameters<SpanExporter['export']>[1]>[0]['code']

/** Failures are logged at most this often. */
const LOG_INTERVAL_MS = MINUTE
const SUCCESS: ResultCode = 0

/** Spans that cannot be exported are dropped. An error of the exporter never reaches the service. */
export const createSafeExporter = (
  exporter: SpanExporter,
  log: Log,
  now: () => number = () => performance.now(),
): SpanExporter => {
  let loggedAt = Number.NEGATIVE_INFINITY
  const report = (error: unknown): void => {
    if (now() - loggedAt < LOG_INTERVAL_MS) return
    loggedAt = now()
    log.warn({ error }, 'spans could not be exported and were dropped')
  }
  return {
    export: (spans, onResult) => {
      const finish = (error?: unknown): void => {
        if (error !== undefined) report(error)
        onResult({ code: SUCCESS })
      }
      try {
        exporter.export(spans, ({ code, error }) =>
          code === SUCCESS ? finish() : finish(error ?? new Error('the export failed')),
        )
      } catch (error) {
        finish(error)
      }
    },
    forceFlush: async () => undefined,
    shutdown: async () => {
      try {
        await exporter.shutdown()
      } catch (error) {
        report(error)
      }
    },
  }
}
