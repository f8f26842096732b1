import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PATH_OF_PAGE = /^(?:o\/[^/]+\/[^/]+(?:\/([^/]+))?)?\/?$/

/**
 * The `Link` header of a path of the dashboard, which announces the chunks of its page; undefined if none are known. The build lists
 * them by the name of the page, which is the path after the organization and mode.
 */
export const readPageChunks = (folder: string): ((path: string) => string | undefined) => {
  const file = join(folder, 'page-chunks.json')
  if (!existsSync(file)) return () => undefined
  const pages = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>
  const headers = new Map(
    Object.entries(pages).map(([page, chunks]) => [
      page,
      chunks.map(name => `</dashboard/${name}>; rel=preload; as=script; crossorigin`).join(', '),
    ]),
  )
  return path => {
    const found = PATH_OF_PAGE.exec(path)
    return found ? headers.get(found[1] ?? 'home') : undefined
  }
}
