import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { buildPackages } from '../../scripts/build-packages.ts'

const resolveOwn = (name: string): string => join(import.meta.dirname, 'node_modules', name)

/**
 * Bundles the example as one script for a page with `<div id="root" data-link-token="…" data-link-url="…">`. The aliases are
 * needed only in this repository, where the package would resolve another version of React.
 */
export const build = async (): Promise<string> => {
  await buildPackages()
  await using bundle = await rolldown({
    input: join(import.meta.dirname, 'src/main.tsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"development"' }, jsx: 'react-jsx' },
    resolve: { alias: { react: resolveOwn('react'), 'react-dom': resolveOwn('react-dom') } },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm' })
  return output[0].code
}

if (import.meta.main) console.log((await build()).length)
