import type { Secret } from '../../core/secret.ts'
import type { SamplerSettings, TracingSettings } from './tracing.ts'

type Reader = {
  setting: (name: string) => string | undefined
  secret: (name: string) => Secret | undefined
  integer: (name: string, fallback: number, min: number, max: number) => number
  problems: string[]
}

/** Whether the caller's decision is followed, and the ratio of other calls; null: OTEL_TRACES_SAMPLER_ARG. */
const SAMPLERS: Record<string, { isParentBased: boolean; ratio: number | null }> = {
  always_on: { isParentBased: false, ratio: 1 },
  always_off: { isParentBased: false, ratio: 0 },
  traceidratio: { isParentBased: false, ratio: null },
  parentbased_always_on: { isParentBased: true, ratio: 1 },
  parentbased_always_off: { isParentBased: true, ratio: 0 },
  parentbased_traceidratio: { isParentBased: true, ratio: null },
}
const DEFAULT_SAMPLER = 'parentbased_always_on'
const DEFAULT_SERVICE_NAME = 'carabiner'
const PROTOCOL = 'http/protobuf'

/** The standard variables of OpenTelemetry, as far as they apply. Undefined: tracing is off, which is the default. */
export const readTracingSettings = (reader: Reader): TracingSettings | undefined => {
  const { setting, secret, integer, problems } = reader
  const url = readUrl(reader)
  if (!url || setting('OTEL_SDK_DISABLED') === 'true' || setting('OTEL_TRACES_EXPORTER') === 'none') return
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
    if ((setting(name) ?? PROTOCOL) !== PROTOCOL) problems.push(`${name} must be ${PROTOCOL}.`)
  const propagators = setting('OTEL_PROPAGATORS') ?? 'tracecontext'
  if (propagators !== 'tracecontext' && propagators !== 'none')
    problems.push('OTEL_PROPAGATORS must be tracecontext or none.')
  const headers = secret('OTEL_EXPORTER_OTLP_HEADERS')
  const readHeaders = () => readPairs('OTEL_EXPORTER_OTLP_HEADERS', headers?.reveal(), problems)
  readHeaders()
  return {
    url,
    headers: readHeaders,
    timeoutMs: integer('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 1, 600_000),
    intervalMs: integer('OTEL_BSP_SCHEDULE_DELAY', 5000, 1, 600_000),
    sampler: readSampler(reader),
    resource: {
      ...readPairs('OTEL_RESOURCE_ATTRIBUTES', setting('OTEL_RESOURCE_ATTRIBUTES'), problems),
      'service.name': setting('OTEL_SERVICE_NAME') ?? DEFAULT_SERVICE_NAME,
    },
    propagates: propagators === 'tracecontext',
  }
}

/** The variable for traces is used as it is; to the general one, the path of the signal is appended. */
const readUrl = ({ setting, problems }: Reader): string | undefined => {
  const ofTraces = setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const general = setting('OTEL_EXPORTER_OTLP_ENDPOINT')
  const url = ofTraces ?? (general && `${general.replace(/\/+$/, '')}/v1/traces`)
  if (url === undefined || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  const name = ofTraces ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT'
  problems.push(`${name} must be an http(s) address, not "${ofTraces ?? general}".`)
  return undefined
}

const readSampler = ({ setting, problems }: Reader): SamplerSettings => {
  const name = setting('OTEL_TRACES_SAMPLER') ?? DEFAULT_SAMPLER
  const sampler = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined
  if (!sampler) {
    problems.push(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(SAMPLERS).join(', ')}.`)
    return { isParentBased: true, ratio: 0 }
  }
  const ratio = sampler.ratio ?? Number(setting('OTEL_TRACES_SAMPLER_ARG') ?? 1)
  if (ratio >= 0 && ratio <= 1) return { ...sampler, ratio }
  problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
  return { ...sampler, ratio: 0 }
}

/** `key=value,key=value`, with values in percent-encoding. The message does not quote the text, which may be a secret. */
const readPairs = (name: string, text: string | undefined, problems: string[]): Record<string, string> => {
  const pairs = (text ?? '').split(',').filter(pair => pair.trim() !== '')
  try {
    return Object.fromEntries(
      pairs.map(pair => {
        const at = pair.indexOf('=')
        if (at < 1) throw new Error('no key')
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
      }),
    )
  } catch {
    const problem = `${name} must be a list such as key=value,key=value.`
    if (!problems.includes(problem)) problems.push(problem)
    return {}
  }
}
