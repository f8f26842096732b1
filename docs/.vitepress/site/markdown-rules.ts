import { dirname, join, normalize } from 'node:path/posix'
import type { MarkdownRenderer } from 'vitepress'
import { drawSequence } from './sequence-diagram.ts'

/** Files that are not pages themselves, and whose content is a page of the site. */
const PAGE_OF_FILE: Record<string, string> = {
  'docs/api/openapi.json': '/api/',
  'packages/sdk': '/reference/sdk',
  'packages/sdk/README.md': '/reference/sdk',
  'packages/link': '/reference/link',
  'packages/link/README.md': '/reference/link',
  'packages/detection': '/reference/detection',
  'packages/detection/README.md': '/reference/detection',
  'apps/testing': '/reference/testing',
  'apps/testing/README.md': '/reference/testing',
  'SECURITY.md': '/security/guarantees',
}

type Token = ReturnType<MarkdownRenderer['parse']>[number]

export const addMarkdownRules = (md: MarkdownRenderer): void => {
  renderBlocks(md)
  alignWithClasses(md)
  nameRepositoryFiles(md)
  scrollTables(md)
}

/**
 * A `mermaid` block with a sequence diagram is drawn at build time. GitHub draws the same block. A block with the name of a file, such as
 * `js [agent.mjs]`, shows the name instead of the language.
 */
const renderBlocks = (md: MarkdownRenderer): void => {
  const renderFence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info = '', content = '' } = tokens[index] ?? {}
    if (info.trim() === 'mermaid') return drawSequence(content)
    const html = renderFence?.(tokens, index, options, env, self) ?? ''
    const [, name] = /\[(.+)\]/.exec(info) ?? []
    if (name === undefined) return html
    return html.replace(
      /(<span class="lang">)[^<]*/,
      (_match, opening: string) => opening + md.utils.escapeHtml(name),
    )
  }
}

/** markdown-it aligns cells by `style` attributes, which the content security policy rejects. */
const alignWithClasses = (md: MarkdownRenderer): void => {
  md.core.ruler.push('align-with-classes', state => {
    for (const token of state.tokens) {
      const style = token.attrGet('style')
      if (style === null) continue
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
      token.attrJoin('class', style.replace('text-align:', 'align-'))
    }
  })
}

type Env = { relativePath?: string; frontmatter?: { source?: string } }

/**
 * Pages link to files of the repository, which the site does not have: they become text, unless a page has the same content. Links of a
 * page that includes such a file are relative to that file.
 */
const nameRepositoryFiles = (md: MarkdownRenderer): void => {
  md.core.ruler.before('linkify', 'name-repository-files', state => {
    const { relativePath = '', frontmatter } = state.env as Env
    const file = frontmatter?.source ?? `docs/${relativePath}`
    for (const { children } of state.tokens) if (children) rewriteLinks(children, file)
  })
}

const rewriteLinks = (tokens: Token[], file: string): void => {
  let isNamed = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? ''
      if (/^(?:[a-z]+:|[#/])/.test(href)) continue
      const [path = '', fragment] = href.split('#')
      const target = normalize(join(dirname(file), path)).replace(/\/$/, '')
      const page = PAGE_OF_FILE[target] ?? (target.startsWith('docs/') ? target.slice('docs'.length) : null)
      if (page !== null) token.attrSet('href', page + (fragment ? `#${fragment}` : ''))
      else {
        isNamed = true
        token.tag = 'span'
        token.attrs = [
          ['class', 'repository-file'],
          ['title', `${target} in the repository`],
        ]
      }
    } else if (token.type === 'link_close' && isNamed) {
      token.tag = 'span'
      isNamed = false
    }
  }
}

/** A wide table scrolls on its own, also with the keyboard. */
const scrollTables = (md: MarkdownRenderer): void => {
  md.renderer.rules.table_open = (tokens, index, options, _env, self) =>
    `<div class="table-scroll" tabindex="0" role="group" aria-label="Table">${self.renderToken(tokens, index, options)}`
  md.renderer.rules.table_close = () => '</table></div>'
}

/** GitHub's rules for the fragments of headings. */
export const slugify = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
