/** The steps of a call, in their order. Each is measured and traced. */
export const CALL_STEPS = [
  'admission',
  'argument_rules',
  'credential',
  'provider',
  'result_rules',
  'settlement',
] as const

export type CallStep = (typeof CALL_STEPS)[number]
