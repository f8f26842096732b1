import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { freePort } from '../../../../scripts/postgres-cluster.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../../../test/support/otlp-receiver.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { openTracing } from './open-tracing.ts'
import { parseTraceparent } from './traceparent.ts'
import type { Tracing, TracingSettings } from './tracing.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('tracing', () => {
  let receiver: OtlpReceiver
  let lines: Record<string, unknown>[]
  beforeEach(async () => {
    receiver = await startOtlpReceiver()
    lines = []
  })
  afterEach(() => receiver.stop())

  const open = (settings: Record<string, string> = {}): Tracing =>
    openTracing(
      readConfig({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_BSP_SCHEDULE_DELAY: '20',
        ...settings,
      }).tracing as TracingSettings,
      '1.2.3',
      createLog('info', { write: line => void lines.push(JSON.parse(line)) }),
    )
  const start = (tracing: Tracing, flags: '00' | '01' | null = null, name = 'work') =>
    tracing.start(name, {
      kind: 'server',
      parent: flags && parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`),
      link: null,
      attributes: { 'a.b': 'c' },
    })

  it('exports spans with their resource, headers and parents', async () => {
    const tracing = open({
      OTEL_SERVICE_NAME: 'links',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret',
    })
    const span = start(tracing, '01')
    const child = span.child('step', 'client')
    child?.fail('timeout')
    child?.end()
    span.end()
    await tracing.close()
    assert.equal(receiver.headers[0]?.['x-key'], 'a secret')
    assert.equal(receiver.resource['service.name'], 'links')
    assert.equal(receiver.resource['service.version'], '1.2.3')
    assert.equal(receiver.resource['deployment.environment.name'], 'test')
    const [step, work] = receiver.spans
    assert.deepEqual([work?.traceId, work?.parentSpanId, work?.kind], [TRACE, SPAN, 2])
    assert.deepEqual([step?.traceId, step?.parentSpanId, step?.kind], [TRACE, work?.spanId, 3])
    assert.deepEqual([work?.isError, step?.isError], [false, true])
    assert.deepEqual([work?.attributes['a.b'], step?.attributes['error.type']], ['c', 'timeout'])
    assert.equal(child?.traceparent(), `00-${TRACE}-${step?.spanId}-01`)
  })

  it('follows the decision of the caller, and samples other calls by the ratio', async () => {
    for (const [sampler, exported] of [
      [{}, ['none', '01']],
      [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, ['01']],
      [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, ['01']],
      [{ OTEL_TRACES_SAMPLER: 'always_on' }, ['none', '00', '01']],
      [{ OTEL_TRACES_SAMPLER: 'always_off' }, []],
    ] as const) {
      receiver.spans.length = 0
      const tracing = open(sampler)
      for (const flags of [null, '00', '01'] as const) start(tracing, flags, flags ?? 'none').end()
      await tracing.close()
      assert.deepEqual(
        receiver.spans.map(({ name }) => name),
        exported,
        JSON.stringify(sampler),
      )
    }
  })

  it('a span that is not sampled has no children, and its context is sent as such', async () => {
    const tracing = open()
    const span = start(tracing, '00')
    assert.equal(span.child('step', 'client'), null)
    assert.match(span.traceparent() ?? '', new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
    await tracing.close()
    const silent = open({ OTEL_PROPAGATORS: 'none' })
    assert.equal(start(silent, '01').traceparent(), null)
    await silent.close()
  })

  it('drops spans if the receiver is down, and logs it once', async () => {
    const tracing = open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '50',
    })
    start(tracing).end()
    await eventually(async () => assert.equal(lines.length, 1))
    start(tracing).end()
    await tracing.close()
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [['warn', 'spans could not be exported and were dropped']],
    )
  })

  it('drops spans beyond a limit if the receiver hangs, and still closes', async () => {
    receiver.hangs = true
    const tracing = open({ OTEL_EXPORTER_OTLP_TIMEOUT: '100' })
    for (let n = 0; n < 10_000; n++) start(tracing).end()
    await eventually(async () => assert.ok(receiver.bodies.length > 0))
    await tracing.close()
    assert.ok(receiver.spans.length <= 4096, `${receiver.spans.length} spans were kept`)
  })
})
