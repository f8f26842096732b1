import type { LinkTextKey } from '@carabiner/contract'
import type { Sentence } from './sentence.ts'
import type { Words } from './words.ts'

type Names = Record<string, string | null>
type Rewrite = (words: Words, template: string) => Words

/** The sentences that an organization may word itself, and the names that each of them knows. */
const REWRITES: Record<LinkTextKey, Rewrite> = {
  'picker.title': (words, template) => ({
    ...words,
    picker: { ...words.picker, title: fill(template, {}) ?? words.picker.title },
  }),
  'picker.lead': (words, template) => ({
    ...words,
    picker: {
      ...words.picker,
      lead: organization => fill(template, { organization }) ?? words.picker.lead(organization),
    },
  }),
  'consent.title': (words, template) => ({
    ...words,
    consent: {
      ...words.consent,
      title: (connector, organization) =>
        fill(template, { connector, organization }) ?? words.consent.title(connector, organization),
    },
  }),
  'consent.lead': (words, template) => ({
    ...words,
    asks: (organization, connector) =>
      fill(template, { organization, connector }) ?? words.asks(organization, connector),
  }),
  'key.title': (words, template) => ({
    ...words,
    apiKey: {
      ...words.apiKey,
      title: connector => fill(template, { connector }) ?? words.apiKey.title(connector),
    },
  }),
  'connected.title': (words, template) => ({
    ...words,
    connected: {
      ...words.connected,
      title: connector => fill(template, { connector }) ?? words.connected.title(connector),
    },
  }),
  'connected.lead': (words, template) => ({
    ...words,
    connected: {
      ...words.connected,
      lead: organization => fill(template, { organization }) ?? words.connected.lead(organization),
    },
  }),
  'expired.lead': (words, template) => ({
    ...words,
    expired: {
      ...words.expired,
      lead: organization => fill(template, { organization }) ?? words.expired.lead(organization),
    },
  }),
}

const rewrites = new Map<string, Rewrite>(Object.entries(REWRITES))

/** An organization's own wording of some sentences. It stays text: a template is never markup, and neither is a name. */
export function withTexts(words: Words, texts: Record<string, string>): Words {
  return Object.entries(texts).reduce((worded, [key, template]) => {
    const rewrite = template.trim() === '' ? undefined : rewrites.get(key)
    return rewrite?.(worded, template) ?? worded
  }, words)
}

/** Undefined if the template names somebody who is not known here. */
function fill(template: string, known: Names): Sentence | undefined {
  const parts = template.split(/\{(\w+)\}/)
  const names = parts.filter((_, i) => i % 2 === 1).map(name => known[name])
  if (!names.every(name => typeof name === 'string')) return undefined
  return { texts: parts.filter((_, i) => i % 2 === 0), names }
}
