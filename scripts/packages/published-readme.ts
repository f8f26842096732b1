import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { folderOf, PUBLISHED, type PublishedName, pathOf, readManifest } from './published.ts'

const RELATIVE_LINK = /\[([^\]]+)\]\((\.\.?\/[^)\s]*)\)/g

/**
 * The README as published. Relative links lead nowhere outside of the repository: those to other packages become links to the registry,
 * and the others links to the repository, or plain text if its address is not known.
 */
export const publishedReadme = (name: PublishedName, repository: string | undefined): string =>
  readFileSync(join(folderOf(name), 'README.md'), 'utf8').replace(
    RELATIVE_LINK,
    (_, text: string, link: string) => {
      const url = publicUrl(name, link, repository)
      return url === null ? text : `[${text}](${url})`
    },
  )

const publicUrl = (name: PublishedName, link: string, repository: string | undefined): string | null => {
  const path = posix.join(pathOf(name), link)
  const target = PUBLISHED.find(known => path === pathOf(known))
  if (target) return `https://www.npmjs.com/package/${readManifest(folderOf(target)).name}`
  return repository ? `https://github.com/${repository}/blob/main/${path}` : null
}
