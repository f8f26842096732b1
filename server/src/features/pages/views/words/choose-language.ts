import { type LinkLanguage, linkLanguages } from '@carabiner/contract'

/** Longer than any browser sends. The rest of the header is ignored. */
const MAX_HEADER_LENGTH = 1_000
const MAX_RANGES = 20

/** RFC 9110, 12.5.4, with `_` allowed for `-`, as mobile platforms write it. */
const RANGE = /^(\*|[a-z]{1,8}(?:[-_][a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?))?$/i

export type LanguagePreferences = {
  /** The language requested by the link or the embedding page. */
  requested: string | null
  /** The Accept-Language header of the browser. */
  accepted: string | undefined
  fallback: LinkLanguage
}

export function chooseLanguage({ requested, accepted, fallback }: LanguagePreferences): LinkLanguage {
  const wanted = requested === null ? undefined : supported(requested.trim())
  return wanted ?? firstAccepted(accepted ?? '', fallback) ?? fallback
}

function firstAccepted(header: string, fallback: LinkLanguage): LinkLanguage | undefined {
  const ranges = header
    .slice(0, MAX_HEADER_LENGTH)
    .split(',', MAX_RANGES)
    .flatMap(entry => {
      const [, range, quality] = RANGE.exec(entry.trim()) ?? []
      return range === undefined ? [] : [{ range, quality: Number(quality ?? 1) }]
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  for (const { range } of ranges) {
    const language = range === '*' ? fallback : supported(range)
    if (language !== undefined) return language
  }
  return undefined
}

/** An unsupported region falls back to the same language: pt-PT to pt-BR. */
function supported(tag: string): LinkLanguage | undefined {
  const primary = primarySubtag(tag)
  return linkLanguages.find(language => primarySubtag(language) === primary)
}

const primarySubtag = (tag: string): string | undefined => tag.split(/[-_]/, 1)[0]?.toLowerCase()
