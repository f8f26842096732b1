import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkArchive } from './check-archive.ts'
import { type Packed, packPackages } from './pack.ts'
import { folderOf, PUBLISHED, readManifest } from './published.ts'

/**
 * `npm run release -- --dry-run`: checks everything that a release needs, packs the packages, and prints what would be published. Without
 * `--dry-run` it publishes them, each after the packages that it depends on.
 */
const root = join(import.meta.dirname, '../..')

export const findProblems = (state: {
  changes: string
  changelog: string
  versions: ReadonlyMap<string, string>
}): string[] => {
  const [version = ''] = state.versions.values()
  const differing = [...state.versions].filter(([, other]) => other !== version)
  return [
    ...(state.changes === '' ? [] : [`The working tree has changes:\n${state.changes}`]),
    ...differing.map(([name, other]) => `${name} has the version ${other}, not ${version}.`),
    ...(hasEntry(state.changelog, version) ? [] : [`CHANGELOG.md has no section "## ${version}".`]),
  ]
}

const hasEntry = (changelog: string, version: string): boolean =>
  changelog
    .split('\n')
    .some(line => new RegExp(`^## \\[?${version.replaceAll('.', '\\.')}\\]?(?:\\s|$)`).test(line))

const readState = () => ({
  changes: execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trimEnd(),
  changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  versions: new Map(PUBLISHED.map(name => [name, readManifest(folderOf(name)).version])),
})

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} kB`

const show = ({ name, version, bytes, unpackedBytes }: Packed): string =>
  `  ${`${name}@${version}`.padEnd(30)} ${kilobytes(bytes).padStart(9)} packed ${kilobytes(unpackedBytes).padStart(9)} unpacked`

const publish = ({ file }: Packed): void => {
  execFileSync('npm', ['publish', file, '--provenance', '--access', 'public'], {
    cwd: root,
    stdio: 'inherit',
  })
}

const release = async (dryRun: boolean): Promise<number> => {
  const problems = findProblems(readState())
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-release-'))
  try {
    const packed = await packPackages(folder)
    for (const { name, file } of packed)
      problems.push(...(await checkArchive(file)).map(problem => `${name}: ${problem}`))
    process.stdout.write(
      `${dryRun ? 'Would publish' : 'Publishing'}, in this order:\n${packed.map(show).join('\n')}\n`,
    )
    if (problems.length > 0) {
      process.stderr.write(
        `Not ready for a release:\n${problems.map(problem => `  - ${problem}`).join('\n')}\n`,
      )
      return 1
    }
    if (!dryRun) for (const archive of packed) publish(archive)
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
  process.exit(await release(values['dry-run']))
}
