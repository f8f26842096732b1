import type { OAuthMethod } from '@carabiner/contract'
import { readText } from '../read-by-pointer.ts'
import { addressValue } from '../templates/address-value.ts'

/** Responses of the authorization flow that values may be read from, as far as the flow has got. */
export type LearnedSources = { token_response?: unknown; callback?: URLSearchParams; identity?: unknown }

export type Learned = { values: Record<string, string>; missing: string[] }

/**
 * Reads the values that URLs are built from. A value that does not match its pattern is treated as missing, because
 * it decides where the credential is sent.
 */
export const learnValues = (
  { learned_values: learnedValues = [] }: OAuthMethod,
  sources: LearnedSources,
): Learned => {
  const learned: Learned = { values: {}, missing: [] }
  for (const { name, from, at, pattern } of learnedValues) {
    if (sources[from] === undefined) continue
    const found = from === 'callback' ? (sources.callback?.get(at) ?? null) : readText(sources[from], at)
    const value = addressValue(found, pattern)
    if (value === null) learned.missing.push(name)
    else learned.values[name] = value
  }
  return learned
}
