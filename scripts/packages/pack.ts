import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type BuiltPackage, buildPackages } from '../build-packages.ts'
import { buildService } from './build-service.ts'
import { folderOf, PUBLISHED, type PublishedName, publishedManifest } from './published.ts'
import { publishedReadme } from './published-readme.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

export type Packed = { name: string; version: string; file: string; bytes: number; unpackedBytes: number }

/** Builds the packages, and writes an archive of each to `folder`. */
export const packPackages = async (
  folder: string,
  names: readonly PublishedName[] = PUBLISHED,
): Promise<Packed[]> => {
  await buildPackages(names.filter((name): name is BuiltPackage => name !== 'carabiner'))
  mkdirSync(folder, { recursive: true })
  const packed: Packed[] = []
  for (const name of PUBLISHED.filter(known => names.includes(known))) packed.push(await pack(name, folder))
  return packed
}

/** An archive is made from a copy, so that the manifests of this repository never change. */
const pack = async (name: PublishedName, folder: string): Promise<Packed> => {
  const copy = join(root, '.cache', `packed-${name}-${process.pid}`)
  try {
    await fillCopy(name, copy)
    const { stdout } = await run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      {
        cwd: copy,
      },
    )
    return readReport(stdout, folder)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const fillCopy = async (name: PublishedName, copy: string): Promise<void> => {
  mkdirSync(copy, { recursive: true })
  if (name === 'carabiner') await buildService(join(copy, 'dist'))
  else cpSync(join(folderOf(name), 'dist'), join(copy, 'dist'), { recursive: true })
  if (existsSync(join(folderOf(name), 'bin')))
    cpSync(join(folderOf(name), 'bin'), join(copy, 'bin'), { recursive: true })
  writeFileSync(join(copy, 'README.md'), publishedReadme(name, process.env['GITHUB_REPOSITORY']))
  cpSync(join(root, 'LICENSE'), join(copy, 'LICENSE'))
  writeFileSync(join(copy, 'package.json'), `${JSON.stringify(publishedManifest(name), null, 2)}\n`)
}

type Report = { name: string; version: string; filename: string; size: number; unpackedSize: number }

const readReport = (json: string, folder: string): Packed => {
  const report = JSON.parse(json) as Report[] | Record<string, Report>
  const [first] = Array.isArray(report) ? report : Object.values(report)
  if (!first) throw new Error('npm pack has reported no archive')
  const { name, version, filename, size, unpackedSize } = first
  return { name, version, file: join(folder, filename), bytes: size, unpackedBytes: unpackedSize }
}

/** `npm run pack [FOLDER]`: writes the archives of all packages. Default: `packages-packed`. */
if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? 'packages-packed')
  for (const { file, bytes } of await packPackages(folder))
    process.stdout.write(`${file}  ${Math.ceil(bytes / 1024)} kB\n`)
}
