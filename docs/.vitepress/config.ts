import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogger } from 'vite'
import { defineConfig, type MarkdownEnv, type MarkdownRenderer } from 'vitepress'
import { indexOptions } from './search/search.ts'
import { codeTheme, colorsToClasses } from './site/code-theme.ts'
import { addMarkdownRules, slugify } from './site/markdown-rules.ts'
import { makeSidebar, navigation, readPages } from './site/navigation.ts'
import { precompress } from './site/precompress.ts'
import { inlineScriptHashes } from './site/script-hashes.ts'
import { startAfterPaint } from './site/start-after-paint.ts'
import { withoutStyleAttributes } from './site/style-attributes.ts'
import { writeTextFiles } from './site/write-text-files.ts'

const fail = (message: string): never => {
  throw new Error(message)
}
const warningsFail = { ...createLogger('warn'), warn: fail, warnOnce: fail }

/** Decisions are found in the sidebar. In a search they would hide the guides, and they are a fifth of the index. */
const renderForSearch = async (source: string, env: MarkdownEnv, md: MarkdownRenderer): Promise<string> =>
  env.relativePath.startsWith('project/decisions/') ? '' : withoutLanguages(await md.renderAsync(source, env))

/** The labels of code blocks would be part of their text. */
const withoutLanguages = (html: string): string => html.replace(/<span class="lang">[^<]*<\/span>/g, '')

const BASE = '/docs/'
const folder = join(import.meta.dirname, '..')
const pages = readPages(folder)

export default defineConfig({
  base: BASE,
  lang: 'en',
  title: 'Carabiner',
  titleTemplate: ':title · Carabiner',
  description: 'Account linking for AI agents, self-hosted.',
  cleanUrls: true,
  // A style element for the change of themes would violate the content security policy.
  appearance: { disableTransition: false },
  head: [
    ['link', { rel: 'icon', href: '/favicon.ico', type: 'image/svg+xml' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  markdown: {
    theme: codeTheme,
    codeTransformers: [colorsToClasses],
    config: addMarkdownRules,
    // The same fragments as on GitHub.
    anchor: { slugify },
  },
  themeConfig: {
    nav: navigation,
    sidebar: makeSidebar(pages),
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: { miniSearch: { options: indexOptions as object }, _render: renderForSearch },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: false,
    notFound: {
      title: 'Page not found',
      quote: 'There is no page at this address. Use the search, or start from the beginning.',
      linkText: 'Go to the start page',
      linkLabel: 'Go to the start page',
    },
  },
  transformPageData: ({ relativePath, description }) => ({
    description: description || pages.find(({ file }) => file === relativePath)?.description || '',
  }),
  transformHead: ({ assets, pageData }) => [
    ...assets
      .filter(name => /inter-latin-wght-normal\..*\.woff2$/.test(name))
      .map((href): [string, Record<string, string>] => [
        'link',
        { rel: 'preload', href, as: 'font', type: 'font/woff2', crossorigin: '' },
      ]),
    ['link', { rel: 'alternate', type: 'text/markdown', href: `${BASE}${pageData.relativePath}` }],
  ],
  transformHtml: (document, file) => startAfterPaint(withoutStyleAttributes(document, file)),
  buildEnd: async ({ outDir }) => {
    writeTextFiles(outDir, BASE, pages)
    await precompress(outDir)
    // The service reads the site only when it is complete.
    writeFileSync(join(outDir, '.complete'), JSON.stringify({ script_hashes: inlineScriptHashes(outDir) }))
  },
  vite: {
    customLogger: warningsFail,
    resolve: {
      alias: [
        {
          find: /^.*\/VPLocalSearchBox\.vue$/,
          replacement: join(import.meta.dirname, 'theme/SearchBox.vue'),
        },
      ],
    },
    build: {
      // The content security policy allows no data: URLs.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1500,
    },
  },
})
