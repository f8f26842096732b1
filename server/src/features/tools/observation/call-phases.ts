/** Steps of a call that are measured and traced together, in their order. The label `step` of the metrics. */
export const CALL_PHASES = [
  'admission',
  'argument_rules',
  'credential',
  'provider',
  'result_rules',
  'settlement',
] as const

export type CallPhase = (typeof CALL_PHASES)[number]
