import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Bundles a script of `pages` with its dependencies, for a browser. */
export const buildPage = async (file: string): Promise<string> => {
  await using bundle = await rolldown({
    input: join(import.meta.dirname, 'pages', file),
    platform: 'browser',
    // React's strict mode mounts twice in development only.
    transform: { define: { 'process.env.NODE_ENV': '"development"' } },
    logLevel: 'silent',
  })
  return (await bundle.generate({ format: 'esm' })).output[0].code
}
