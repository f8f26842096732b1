import type { Entity } from '@carabiner/detection'
import type { Density } from './texts.ts'

/** The entities that every subject claims to detect. */
export const SHARED: readonly Entity[] = ['EMAIL_ADDRESS', 'PHONE_NUMBER', 'CREDIT_CARD', 'US_SSN']

export const SUBJECTS: readonly string[] = [
  'carabiner, default rules',
  'carabiner, every entity',
  `carabiner, ${SHARED.length} shared entities`,
  'redact-pii',
  '@redactpii/node',
  'openredaction',
]

/** `texts`: generates texts, measures the recall and warms up. `round`: redacts all texts and measures the time. */
export type SubjectRequest = { kind: 'texts'; count: number; density: Density } | { kind: 'round' }
export type SubjectResult = { recall: [Entity, number][]; size: number } | { milliseconds: number }
