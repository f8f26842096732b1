import type { Entity } from '@carabiner/detection'
import type { Density } from './texts.ts'

/** What all of them say that they find. */
export const SHARED: readonly Entity[] = ['EMAIL_ADDRESS', 'PHONE_NUMBER', 'CREDIT_CARD', 'US_SSN']

export const SUBJECTS: readonly string[] = [
  'carabiner, default rules',
  'carabiner, every entity',
  `carabiner, those ${SHARED.length}`,
  'redact-pii',
  '@redactpii/node',
  'openredaction',
]

/** What a subject is asked: to get ready for a set of texts, or to redact them all and say what that took. */
export type Asked = { kind: 'texts'; count: number; density: Density } | { kind: 'round' }
export type Told = { recall: [Entity, number][]; size: number } | { milliseconds: number }
