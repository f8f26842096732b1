import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

/** Size in bytes of what a page downloads for `code`, minified and gzipped, without React. */
export const zippedSize = async (code: string): Promise<number> => {
  await using bundle = await rolldown({
    input: 'entry',
    external: /^react(\/|$)/,
    platform: 'browser',
    cwd: import.meta.dirname,
    plugins: [
      {
        name: 'entry',
        resolveId: id => (id === 'entry' ? `${import.meta.dirname}/entry.js` : null),
        load: id => (id.endsWith('/entry.js') ? code : null),
      },
    ],
    onLog: (level, log, handle) => {
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
    },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  return gzipSync(output.map(file => ('code' in file ? file.code : '')).join(''), { level: 9 }).length
}
