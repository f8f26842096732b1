import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type HtmlTagDescriptor, normalizePath, type Plugin, runnerImport } from 'vite'

const folder = import.meta.dirname

/** Compresses at build time, so that the service can serve the best compression without using its own CPU. */
const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  closeBundle: () => {
    for (const name of globSync('**/*.{js,css,html,svg}', { cwd: join(folder, 'dist') })) {
      const path = join(folder, 'dist', name)
      const text = readFileSync(path)
      writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }))
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
      writeFileSync(`${path}.br`, brotliCompressSync(text, { params }))
    }
  },
})

const resolve = { alias: { '@carabiner/sdk': join(folder, '../packages/sdk/src/index.ts') } }

/** Writes the markup of the sign-in page into its document, so that it is painted before any script has run. */
const prerender = (): Plugin => ({
  name: 'prerender',
  apply: 'build',
  transformIndexHtml: async (html, { filename }) => {
    if (!filename.endsWith('sign-in.html')) return html
    const { module } = await runnerImport<typeof import('./src/pages/sign-in/prerender.tsx')>(
      './src/pages/sign-in/prerender.tsx',
      { root: folder, configFile: false, plugins: [react()], resolve },
    )
    return html.replace('<!--prerendered-->', () => module.prerenderSignIn())
  },
})

/**
 * Builds what the service runs to render Home: one file with all of its packages. Code that a page loads on demand is not part of it;
 * importing it never ends, so that the place of it stays as it is while the code is loaded.
 */
const buildRenderer = (): Plugin => ({
  name: 'build-renderer',
  apply: 'build',
  closeBundle: async () => {
    await build({
      configFile: false,
      root: folder,
      logLevel: 'warn',
      plugins: [react(), neverLoadOnDemand()],
      resolve,
      define: { 'process.env.NODE_ENV': '"production"' },
      publicDir: false,
      ssr: { noExternal: true },
      build: {
        ssr: join(folder, 'src/render-home.tsx'),
        outDir: join(folder, 'dist/server'),
        emptyOutDir: true,
        minify: false,
      },
    })
  },
})

const NEVER = '\0never'
const neverLoadOnDemand = (): Plugin => ({
  name: 'never-load-on-demand',
  enforce: 'pre',
  resolveDynamicImport: () => NEVER,
  resolveId: id => (id === NEVER ? NEVER : null),
  load: id => (id === NEVER ? 'await new Promise(() => undefined)' : null),
})

/** The font is requested with the style sheet, and not only when text that uses it has been laid out. */
const preloadFont = (): Plugin => ({
  name: 'preload-font',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }): HtmlTagDescriptor[] =>
      Object.keys(bundle)
        .filter(name => /inter-latin-wght-normal-.*\.woff2$/.test(name))
        .map(name => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            href: `/dashboard/${name}`,
            as: 'font',
            type: 'font/woff2',
            crossorigin: true,
          },
          injectTo: 'head-prepend',
        })),
  },
})

/** `src/start.ts` imports the main script after the first paint; the browser requests it before. */
const preloadMain = (): Plugin => ({
  name: 'preload-main',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {}, filename }): HtmlTagDescriptor[] => {
      if (!filename.endsWith('index.html')) return []
      const main = Object.values(bundle).find(output => output.type === 'chunk' && isMain(output))
      return main?.type === 'chunk'
        ? [main.fileName, ...main.imports].map(name => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', href: `/dashboard/${name}`, crossorigin: true },
            injectTo: 'head',
          }))
        : []
    },
  },
})

const isMain = ({ facadeModuleId }: { facadeModuleId: string | null }): boolean =>
  facadeModuleId?.endsWith('/src/main.tsx') === true

const PAGE = /\/src\/pages\/([^/]+)\/\1-page\.tsx$/

/**
 * Lists the chunks of each page that its document does not load anyway, so that the service can announce them. Without the list, the
 * browser discovers them when the main script has run.
 */
const listPageChunks = (): Plugin => ({
  name: 'list-page-chunks',
  apply: 'build',
  generateBundle(_options, bundle) {
    const importsOf = (name: string, found = new Set<string>()): Set<string> => {
      const chunk = bundle[name]
      if (chunk?.type !== 'chunk' || found.has(name)) return found
      found.add(name)
      for (const imported of chunk.imports) importsOf(imported, found)
      return found
    }
    const chunks = Object.values(bundle).filter(output => output.type === 'chunk')
    const loaded = new Set(chunks.filter(isMain).flatMap(({ fileName }) => [...importsOf(fileName)]))
    const pages = chunks.flatMap(({ facadeModuleId, fileName }) => {
      const page = PAGE.exec(facadeModuleId ?? '')?.[1]
      return page ? [[page, [...importsOf(fileName).difference(loaded)]] as const] : []
    })
    this.emitFile({
      type: 'asset',
      fileName: 'page-chunks.json',
      source: JSON.stringify(Object.fromEntries(pages)),
    })
  },
})

/**
 * Each request costs a slow processor several milliseconds, so modules that most pages share are not files of their own: `core` is
 * what the sign-in page is built on, `shell` what every other page loads as well, and `page-parts`, `list-parts` and `icons` are small
 * modules of several pages. Entries run when they are loaded, so they stay outside.
 */
const sharedChunks = () => {
  const reachable = new Map<string, Set<string>>()
  const isReachableFrom = (entry: string, id: string, graph: ModuleGraph): boolean => {
    const found = reachable.get(entry) ?? new Set<string>()
    if (!reachable.has(entry)) {
      const entryId = normalizePath(join(folder, 'src', entry))
      collect(entryId, graph, found)
      found.delete(entryId)
      reachable.set(entry, found)
    }
    return found.has(id)
  }
  return [
    {
      debugName: 'core and shell',
      name: (id: string, graph: ModuleGraph) => {
        if (NEEDED_BY_START.test(id)) return null
        if (isReachableFrom('sign-in.tsx', id, graph)) return id.includes('/src/pages/') ? null : 'core'
        return isReachableFrom('main.tsx', id, graph) ? 'shell' : null
      },
    },
    { name: 'page-parts', test: /\/src\/ui\/(card\.|page\.|states\/|data\/)/, minShareCount: 2 },
    {
      name: 'list-parts',
      test: /\/src\/(ui\/lists\/(filter-bar|list-card|more-rows|search-input|use-row-opener)|api\/use-list)\./,
      minShareCount: 2,
    },
    { name: 'icons', test: /\/lucide-react\//, minShareCount: 2 },
  ]
}

/** What `src/start.ts` needs must not be in a file with code that runs later. */
const NEEDED_BY_START = /styles\.css$|vite\/preload-helper/

type ModuleGraph = { getModuleInfo: (id: string) => { importedIds: string[] } | null }

/** Follows static imports only: dynamic ones are loaded on demand. */
const collect = (id: string, graph: ModuleGraph, found: Set<string>): void => {
  if (found.has(id)) return
  found.add(id)
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) collect(imported, graph, found)
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [
    react(),
    tailwindcss(),
    prerender(),
    preloadFont(),
    preloadMain(),
    listPageChunks(),
    precompress(),
    buildRenderer(),
  ],
  resolve,
  build: {
    // The content security policy allows neither data: URLs nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      input: { index: join(folder, 'index.html'), 'sign-in': join(folder, 'sign-in.html') },
      output: {
        codeSplitting: { groups: sharedChunks(), includeDependenciesRecursively: false },
        // The names of all chunks are part of the first load, and hashes do not compress.
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
      },
    },
  },
  server: {
    // `npm run dev --workspace dashboard` next to `npm start`: everything but the dashboard's own files comes from the service.
    proxy: Object.fromEntries(
      [
        '/api',
        '/dashboard/session',
        '/dashboard/auth',
        '/dashboard/sign-in-link',
        '/dashboard/sign-in-options',
        '/demo',
        '^/dashboard/password$',
      ].map(path => [
        path,
        {
          target: 'http://localhost:4000',
          bypass: ({
            method,
            headers,
            url,
          }: {
            method?: string
            headers: { accept?: string }
            url?: string
          }) => (method === 'GET' && headers.accept?.includes('text/html') ? url : undefined),
        },
      ]),
    ),
  },
})
