import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'

type Stripping = {
  /** Modules to begin with, relative to `from`. All modules that they import follow. */
  entries: readonly string[]
  from: string
  to: string
  /** The source of a package that becomes part of the result. Others stay imports of packages. */
  resolvePackage?: (specifier: string) => string | null
}

/** The specifiers of static and dynamic imports. */
export const SPECIFIER = /((?<![.\w])(?:from\s+|import\s+|import\(\s*))'([^'\n]+)'/g

/**
 * Writes TypeScript modules as JavaScript, in the same folders and with the same lines. Only types and the endings of imported files
 * change, so the published code is the code that the tests run.
 */
export const stripModules = ({ entries, from, to, resolvePackage = () => null }: Stripping): void => {
  const pending = entries.map(entry => join(from, entry))
  const seen = new Set(pending)
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    const folder = dirname(file)
    const code = stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(
      SPECIFIER,
      (_match, before: string, specifier: string) => {
        const source = specifier.startsWith('.') ? join(folder, specifier) : resolvePackage(specifier)
        if (!source) return `${before}'${specifier}'`
        if (!seen.has(source) && existsSync(source)) pending.push(source)
        seen.add(source)
        return `${before}'${toJavaScript(folder, source)}'`
      },
    )
    const target = join(to, relative(from, file)).replace(/\.ts$/, '.js')
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, `${code.replaceAll(/[ \t]+$/gm, '').trimEnd()}\n`)
  }
}

const toJavaScript = (folder: string, source: string): string => {
  const path = relative(folder, source).replaceAll('\\', '/').replace(/\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}
