import type { OAuthMethod } from '@carabiner/contract'
import { readText } from '../json-pointer.ts'
import { isAddressPart } from './template.ts'

/** Where values may be learned from, as far as the flow has come. */
export type LearnedSources = { token_response?: unknown; callback?: URLSearchParams; identity?: unknown }

export type Learned = { values: Record<string, string>; missing: string[] }

/**
 * What a third party tells and addresses are made of. A value that does not fit its pattern was not learned: it would decide
 * where the credential goes.
 */
export const learnValues = ({ learns = [] }: OAuthMethod, sources: LearnedSources): Learned => {
  const learned: Learned = { values: {}, missing: [] }
  for (const { name, from, at, pattern } of learns) {
    if (sources[from] === undefined) continue
    const told = from === 'callback' ? (sources.callback?.get(at) ?? null) : readText(sources[from], at)
    const fitting = told === null ? null : new RegExp(`^(?:${pattern})$`, 'u').exec(told)
    const value = fitting ? (fitting.groups?.value ?? fitting[0]) : ''
    if (isAddressPart(value)) learned.values[name] = value
    else learned.missing.push(name)
  }
  return learned
}
