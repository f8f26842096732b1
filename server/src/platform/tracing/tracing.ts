import type { TraceContext } from './traceparent.ts'

/** Never arguments, results, credentials or data of users. */
export type SpanAttributes = Record<string, string | number>

export type SpanKind = 'server' | 'internal' | 'client'

export type TraceSpan = {
  readonly context: TraceContext
  /** The context to send to a provider; null if the operator has turned that off. */
  traceparent(): string | null
  /** Starts a child span. Null if this span is not sampled. */
  child(name: string, kind: SpanKind): TraceSpan | null
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** Marks the span as failed. `type` is one of a few values, such as an error code. */
  fail(type: string): void
  end(): void
}

export type SpanStart = {
  kind: SpanKind
  parent: TraceContext | null
  /** Another context that led to this span, such as that of the HTTP request. */
  link: TraceContext | null
  attributes: SpanAttributes
}

export type Tracing = {
  start(name: string, start: SpanStart): TraceSpan
  /** Exports the remaining spans, unless that takes too long. */
  close(): Promise<void>
}

export type TracingSettings = {
  url: string
  /** Sent with every export, such as a key of the collector. */
  headers: () => Record<string, string>
  timeoutMs: number
  /** Between two exports. */
  intervalMs: number
  sampler: SamplerSettings
  resource: Record<string, string>
  /** Whether calls to providers carry the trace context. */
  propagates: boolean
}

/** `isParentBased`: a call with a caller's trace is sampled if the caller has sampled it. */
export type SamplerSettings = { isParentBased: boolean; ratio: number }
