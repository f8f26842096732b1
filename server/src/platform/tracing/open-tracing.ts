import { ROOT_CONTEXT, type Span, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { SECOND } from '../../core/duration.ts'
import type { Log } from '../log.ts'
import { createSafeExporter } from './safe-exporter.ts'
import { formatTraceparent, type TraceContext } from './traceparent.ts'
import type { SamplerSettings, SpanKind, TraceSpan, Tracing, TracingSettings } from './tracing.ts'

/** A collector that does not respond must not delay a stop. */
const CLOSE_TIMEOUT_MS = 2 * SECOND
const KINDS: Record<SpanKind, number> = { internal: 0, server: 1, client: 2 }

/** Spans are created by hand. Nothing is patched, and no global of OpenTelemetry is set. */
export const openTracing = (settings: TracingSettings, version: string, log: Log): Tracing => {
  const { url, headers, timeoutMs, intervalMs, sampler, resource, propagates } = settings
  const exporter = new OTLPTraceExporter({ url, headers: headers(), timeoutMillis: timeoutMs })
  const provider = new TracerProvider({
    sampler: samplerOf(sampler),
    resource: resourceFromAttributes({ 'service.version': version, ...resource }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createSafeExporter(exporter, log),
        scheduledDelayMillis: intervalMs,
      }),
    ],
  })
  const source = { tracer: provider.getTracer('carabiner', version), propagates }
  return {
    start: (name, { kind, parent, link, attributes }) =>
      toTraceSpan(
        source,
        source.tracer.startSpan(
          name,
          { kind: KINDS[kind], attributes, ...(link && { links: [{ context: toSpanContext(link) }] }) },
          parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT,
        ),
      ),
    close: async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)
      await Promise.race([provider.shutdown().catch(() => undefined), promise])
      clearTimeout(timer)
    },
  }
}

const samplerOf = ({ isParentBased, ratio }: SamplerSettings): Sampler => {
  const root = new TraceIdRatioBasedSampler(ratio)
  return isParentBased ? new ParentBasedSampler({ root }) : root
}

const toSpanContext = ({ traceId, spanId, isSampled }: TraceContext) => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
})

type SpanSource = { tracer: Tracer; propagates: boolean }

const toTraceSpan = (source: SpanSource, span: Span): TraceSpan => {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const context = { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }
  const startChild = (name: string, kind: SpanKind): Span =>
    source.tracer.startSpan(name, { kind: KINDS[kind] }, trace.setSpan(ROOT_CONTEXT, span))
  return {
    context,
    traceparent: () => (source.propagates ? formatTraceparent(context) : null),
    child: (name, kind) => (span.isRecording() ? toTraceSpan(source, startChild(name, kind)) : null),
    rename: name => void span.updateName(name),
    set: attributes => void span.setAttributes(attributes),
    fail: type => {
      span.setAttribute('error.type', type)
      span.setStatus({ code: SpanStatusCode.ERROR })
    },
    end: () => span.end(),
  }
}
