import { BookOpen } from 'lucide-react'
import { fetchResponse } from '../../api/fetch-response.ts'
import type { Command } from './command-source.ts'

type Page = { title: string; href: string; description: string }

/** One line for each page of the documentation. */
const LINE = /^- \[(.+)\]\((\S+?)(?:index)?\.md\): (.*)$/gm
const MAX_RESULTS = 4

let loaded: Promise<readonly Page[]> | undefined

const loadPages = async (): Promise<readonly Page[]> => {
  const response = await fetchResponse('/docs/llms.txt', {})
  if (!response.ok) return []
  return [...(await response.text()).matchAll(LINE)]
    .map(([, title = '', href = '', description = '']) => ({ title, href, description }))
    .filter(({ href }) => !href.startsWith('/docs/project/'))
}

/** "Documentation: guides". Several pages have the same title. */
const sectionOf = (href: string): string => {
  const [, , section] = href.split('/')
  return section ? `Documentation: ${section.replaceAll('-', ' ')}` : 'Documentation'
}

/** Pages whose title or description contains words that begin with those of the text; matching titles come first. */
export const findDocumentation = async (text: string): Promise<Command[]> => {
  loaded ??= loadPages().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  const words = text.toLowerCase().split(/\s+/)
  const contains = (place: string): boolean =>
    words.every(word => ` ${place.toLowerCase()}`.includes(` ${word}`))
  const found = (await loaded).filter(({ title, description }) => contains(`${title} ${description}`))
  return [...found.filter(({ title }) => contains(title)), ...found.filter(({ title }) => !contains(title))]
    .slice(0, MAX_RESULTS)
    .map(({ title, href }) => ({
      id: `documentation:${href}`,
      label: title,
      hint: sectionOf(href),
      group: 'Documentation',
      icon: BookOpen,
      href,
      isExternal: true,
    }))
}
