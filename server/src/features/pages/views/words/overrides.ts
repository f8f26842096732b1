import type { LinkTextKey } from '@carabiner/contract'
import type { Sentence } from './sentence.ts'
import type { Words } from './words.ts'

type Names = Record<string, string | null>
type Rewrite = (words: Words, template: string) => Words

/** The sentences that an organization may override, with the names available in each. */
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

/** Applies an organization's own texts. Templates and names stay plain text and are never interpreted as markup. */
export function withTexts(words: Words, texts: Record<string, string>): Words {
  return Object.entries(texts).reduce((worded, [key, template]) => {
    const rewrite = template.trim() === '' ? undefined : rewrites.get(key)
    return rewrite?.(worded, template) ?? worded
  }, words)
}

/** Returns undefined if the template uses a name that is not available. */
function fill(template: string, known: Names): Sentence | undefined {
  const parts = template.split(/\{(\w+)\}/)
  const names = parts.filter((_, i) => i % 2 === 1).map(name => known[name])
  if (!names.every(name => typeof name === 'string')) return undefined
  return { texts: parts.filter((_, i) => i % 2 === 0), names }
}
