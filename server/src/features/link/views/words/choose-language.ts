import { type LinkLanguage, linkLanguages } from '@carabiner/contract'

/** More than any browser sends. What comes after is not read. */
const LONGEST_HEADER = 1_000
const MOST_RANGES = 20

/** RFC 9110, 12.5.4, with `_` allowed for `-`, as mobile platforms write it. */
const RANGE = /^(\*|[a-z]{1,8}(?:[-_][a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?))?$/i

export type LanguageWishes = {
  /** What the link or the embedding page asks for. */
  asked: string | null
  /** The browser's Accept-Language. */
  accepted: string | undefined
  fallback: LinkLanguage
}

export function chooseLanguage({ asked, accepted, fallback }: LanguageWishes): LinkLanguage {
  const wanted = asked === null ? undefined : spoken(asked.trim())
  return wanted ?? firstAccepted(accepted ?? '', fallback) ?? fallback
}

function firstAccepted(header: string, fallback: LinkLanguage): LinkLanguage | undefined {
  const ranges = header
    .slice(0, LONGEST_HEADER)
    .split(',', MOST_RANGES)
    .flatMap(entry => {
      const [, range, quality] = RANGE.exec(entry.trim()) ?? []
      return range === undefined ? [] : [{ range, quality: Number(quality ?? 1) }]
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  for (const { range } of ranges) {
    const language = range === '*' ? fallback : spoken(range)
    if (language !== undefined) return language
  }
  return undefined
}

/** A region that we do not have is answered in its language: Portuguese of Portugal in that of Brazil. */
function spoken(tag: string): LinkLanguage | undefined {
  const primary = primarySubtag(tag)
  return linkLanguages.find(language => primarySubtag(language) === primary)
}

const primarySubtag = (tag: string): string | undefined => tag.split(/[-_]/, 1)[0]?.toLowerCase()
