import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressWithBrotli = promisify(brotliCompress)
const compressWithGzip = promisify(gzip)

/** Beyond this quality Brotli takes ten times as long for a few percent. */
const BROTLI_QUALITY = 9

/** Compresses at build time, so that the service does not use its own CPU for it. */
export const precompress = async (folder: string): Promise<void> => {
  const names = globSync('**/*.{js,css,html,svg,md,txt}', { cwd: folder })
  await Promise.all(
    names.map(async name => {
      const path = join(folder, name)
      const text = readFileSync(path)
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      }
      writeFileSync(`${path}.br`, await compressWithBrotli(text, { params }))
      writeFileSync(`${path}.gz`, await compressWithGzip(text, { level: 9 }))
    }),
  )
}
