import type { ThrowawayOptions } from 'carabiner/testing'

/** The messages between a test and the process of its service. */
export type ServiceSettings = Pick<ThrowawayOptions, 'environment' | 'cacheDirectory'>

export type ServiceMethod = 'now' | 'advanceClock' | 'stop'

export type ToService = { id: number; method: ServiceMethod | 'start'; argument: number }
export type FromService = { id: number; result: unknown } | { id: number; error: string } | { log: string }
