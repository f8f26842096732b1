import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from './navigation.ts'
import { sectionTitles } from './sections.ts'

const SUMMARY =
  'Carabiner is a self-hosted account-linking service for AI agents. An application’s agents call tools of third-party systems on behalf of its end users; Carabiner obtains each user’s credential, stores it encrypted and serves one MCP endpoint.'

/** Writes each page as Markdown next to its HTML, and the two files for language models: https://llmstxt.org. */
export const writeTextFiles = (folder: string, base: string, pages: Page[]): void => {
  const write = (name: string, text: string): void => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const page of pages) write(markdownName(page), page.source.trimStart())
  write('llms.txt', makeIndex(base, pages))
  write('llms-full.txt', makeFullText(base, pages))
}

/** The address of a page plus `.md`; the start page is `index.md`. */
const markdownName = ({ file }: Page): string => file

const makeIndex = (base: string, pages: Page[]): string => {
  const list = (section: string) =>
    pages
      .filter(page => page.section === section)
      .map(page => `- [${page.title}](${base}${markdownName(page)}): ${page.description}`)
      .join('\n')
  const sections = [...sectionTitles].map(([folder, title]) => `## ${title}\n\n${list(folder)}`)
  return `# Carabiner\n\n> ${SUMMARY}\n\nThe API is described by \`/api/v1/openapi.json\`.\n\n${sections.join('\n\n')}\n`
}

const makeFullText = (base: string, pages: Page[]): string =>
  `# Carabiner\n\n> ${SUMMARY}\n\n${pages
    .map(page => `---\n\nSource: ${base}${markdownName(page)}\n\n${page.source.trim()}`)
    .join('\n\n')}\n`
