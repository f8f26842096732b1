import type { SecurityRulesTested } from '@carabiner/sdk'

export type Match = SecurityRulesTested['matches'][number]
export type Part = { text: string; match: Match | null }
type Span = { start: number; end: number; match: Match }

/** A text cut at its matches. Of overlapping matches, the first is marked. */
export const partsOfText = (text: string, matches: readonly Match[]): Part[] =>
  cut(
    text,
    matches.flatMap(match =>
      match.start === undefined || match.end === undefined
        ? []
        : [{ start: match.start, end: match.end, match }],
    ),
  )

/** Indented JSON cut at the matches. Their places are offsets in the strings, before these are escaped. */
export const partsOfValue = (value: unknown, matches: readonly Match[]): Part[] => {
  const spans = new Map<string, Span[]>()
  for (const match of matches)
    for (const { path, in: where, start, end } of match.places ?? []) {
      const id = placeId(path, where)
      spans.set(id, [...(spans.get(id) ?? []), { start, end, match }])
    }
  const parts: Part[] = []
  const add = (text: string): void => void parts.push({ text, match: null })
  const addText = (text: string, id: string): void => {
    for (const part of cut(text, spans.get(id) ?? []))
      parts.push({ ...part, text: JSON.stringify(part.text).slice(1, -1) })
  }
  const visitAll = (
    [open, close]: string,
    entries: readonly [key: string | number, node: unknown][],
    path: readonly (string | number)[],
  ): void => {
    if (entries.length === 0) return add(`${open}${close}`)
    const indent = '  '.repeat(path.length)
    for (const [n, [key, node]] of entries.entries()) {
      const inner = [...path, key]
      add(`${n === 0 ? open : ','}\n${indent}  `)
      if (typeof key === 'string') {
        add('"')
        addText(key, placeId(inner, 'key'))
        add('": ')
      }
      visit(node, inner)
    }
    add(`\n${indent}${close}`)
  }
  const visit = (node: unknown, path: readonly (string | number)[]): void => {
    if (Array.isArray(node)) visitAll('[]', [...node.entries()], path)
    else if (typeof node === 'object' && node !== null) visitAll('{}', Object.entries(node), path)
    else if (typeof node === 'string') {
      add('"')
      addText(node, placeId(path, 'value'))
      add('"')
    } else parts.push(...cut(String(node), spans.get(placeId(path, 'value')) ?? []))
  }
  visit(value, [])
  return parts
}

const placeId = (path: readonly (string | number)[], where: 'key' | 'value'): string =>
  `${where} ${JSON.stringify(path)}`

const cut = (text: string, spans: readonly Span[]): Part[] => {
  const parts: Part[] = []
  let at = 0
  for (const { start, end, match } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue
    if (start > at) parts.push({ text: text.slice(at, start), match: null })
    parts.push({ text: text.slice(start, end), match })
    at = end
  }
  return at < text.length ? [...parts, { text: text.slice(at), match: null }] : parts
}
