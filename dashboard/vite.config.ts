import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, normalizePath, type Plugin, runnerImport } from 'vite'

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

/** Writes markup into the documents, so that it is painted before any script has run: the sign-in page, and the skeleton of all others. */
const prerender = (): Plugin => ({
  name: 'prerender',
  apply: 'build',
  transformIndexHtml: async (html, { filename }) => {
    const render = filename.endsWith('sign-in.html')
      ? (await load<typeof import('./src/pages/sign-in/prerender.tsx')>('src/pages/sign-in/prerender.tsx'))
          .prerenderSignIn
      : (await load<typeof import('./src/shell/frame-skeleton.tsx')>('src/shell/frame-skeleton.tsx'))
          .renderFrameSkeleton
    return html.replace('<!--prerendered-->', render)
  },
})

const load = async <Module>(path: string): Promise<Module> =>
  (
    await runnerImport<Module>(`./${path}`, {
      root: folder,
      configFile: false,
      plugins: [react()],
      resolve,
    })
  ).module

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

/**
 * `src/start.ts` imports the main script after the first paint; the browser requests it before. Not with `modulepreload`, which also
 * compiles it, and delays the paint on a slow processor.
 */
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
            attrs: { rel: 'preload', as: 'script', href: `/dashboard/${name}`, crossorigin: true },
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
 * what the sign-in page is built on, `shell` what every other page loads as well, and `page-parts`, `list-parts`, `user-names` and
 * `detail-parts` are small modules of several pages. Entries run when they are loaded, so they stay outside.
 */
const sharedChunks = () => {
  const reachable = new Map<string, Set<string>>()
  const reachableFrom = (entry: string, graph: ModuleGraph): Set<string> => {
    const known = reachable.get(entry)
    if (known) return known
    const found = new Set<string>()
    const entryId = normalizePath(join(folder, 'src', entry))
    collect(entryId, graph, found)
    found.delete(entryId)
    reachable.set(entry, found)
    return found
  }
  /** The package of icons has one module that imports all of them, so those in use are found by their names. */
  let icons: Set<string> | undefined
  const isIconOfShell = (icon: string, graph: ModuleGraph): boolean => {
    if (!icons) {
      const files = iconFiles()
      const names = [...reachableFrom('main.tsx', graph)].flatMap(id => importedIcons(id, graph))
      icons = new Set(names.flatMap(name => files.get(name) ?? []))
    }
    return icons.has(icon)
  }
  return [
    {
      debugName: 'core and shell',
      name: (id: string, graph: ModuleGraph) => {
        if (NEEDED_BY_START.test(id)) return null
        const icon = ICON.exec(id)?.[1]
        if (icon !== undefined) return isIconOfShell(icon, graph) ? 'shell' : null
        if (reachableFrom('start-sign-in.tsx', graph).has(id))
          return id.includes('/src/pages/') ? null : 'core'
        return reachableFrom('main.tsx', graph).has(id) ? 'shell' : null
      },
    },
    {
      name: 'page-parts',
      test: /\/lucide-react\/|\/src\/ui\/(add-button\.|card\.|page\.|states\/|data\/(badge|connector-logo|connector-names|copyable|outcome|relative-time|snippet)\.)/,
      minShareCount: 2,
    },
    { name: 'user-names', test: /\/src\/(ui\/data\/user-(name|link)|api\/load-user)\./, minShareCount: 2 },
    { name: 'detail-parts', test: /\/src\/ui\/data\//, minShareCount: 2 },
    {
      name: 'list-parts',
      test: /\/src\/(ui\/lists\/(filter-bar|list-card|more-rows|search-input|use-row-opener)|api\/use-list)\./,
      minShareCount: 2,
    },
  ]
}

/** What `src/start.ts` needs must not be in a file with code that runs later. */
const NEEDED_BY_START = /styles\.css$|vite\/preload-helper/

const ICON = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.mjs$/
const ICON_IMPORT = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g
const ICON_EXPORT = /^export \{(.*)\} from '\.\/icons\/([\w-]+)\.mjs';$/gm

/** The file of each icon by all of its names. */
const iconFiles = (): Map<string, string> => {
  const index = readFileSync(
    fileURLToPath(new URL('../esm/lucide-react.mjs', import.meta.resolve('lucide-react'))),
    'utf8',
  )
  return new Map(
    [...index.matchAll(ICON_EXPORT)].flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, file] as const),
    ),
  )
}

/** The names of the icons that a module of the dashboard imports. */
const importedIcons = (id: string, graph: ModuleGraph): string[] => {
  if (!id.includes('/dashboard/src/')) return []
  const code = graph.getModuleInfo(id)?.code ?? ''
  return [...code.matchAll(ICON_IMPORT)]
    .flatMap(([, names = '']) => names.split(','))
    .map(name => name.trim().replace(/ as .*$/s, ''))
}

type ModuleGraph = { getModuleInfo: (id: string) => { importedIds: string[]; code: string | null } | null }

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
