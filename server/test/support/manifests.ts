import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installFolder } from './installed-folder.ts'
import { buildKustomization } from './kustomize.ts'

const ROOT = join(import.meta.dirname, '../../..')

export type Manifest = { apiVersion: string; kind: string; metadata: { name: string }; [field: string]: any }

export const installManifestSchemas = () => installFolder('manifest-schemas')

type Parser = {
  parseAllDocuments(text: string, options: object): { errors: Error[]; toJS(): unknown }[]
}
const parserOf = (packages: string): Parser => createRequire(join(packages, 'x.js'))('yaml')

export const parseYaml = async (text: string): Promise<any[]> => {
  const { packages } = await installManifestSchemas()
  return parserOf(packages)
    .parseAllDocuments(text, { merge: true })
    .map(document => {
      if (document.errors.length > 0) throw document.errors[0]
      return document.toJS()
    })
}

/** Earlier versions contain kustomize 2, which cannot read these files. */
const MIN_KUBECTL_MINOR = 27

const hasKubectl = (): boolean => {
  const { stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' })
  return Number(/"minor": *"(\d+)/.exec(stdout)?.[1]) >= MIN_KUBECTL_MINOR
}

/** The objects that `kubectl apply -k` would create. */
export const buildOverlay = async (name: string): Promise<Manifest[]> => {
  const folder = join(ROOT, 'deploy/kubernetes/overlays', name)
  if (!hasKubectl()) return buildKustomization(folder, parseYaml)
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  if (stderr.includes('deprecated')) throw new Error(stderr)
  return parseYaml(stdout)
}

/**
 * Problems of the objects, by the schemas of Kubernetes: values by the validators, and unknown fields by compiling the objects as
 * literals of the schemas' types.
 */
export const findManifestProblems = async (manifests: Manifest[]): Promise<string[]> => {
  const { packages } = await installManifestSchemas()
  const paths = manifests.map(({ apiVersion, kind }) => `kubernetes-models/${apiVersion}/${kind}`)
  return [...(await validate(packages, paths, manifests)), ...compile(packages, paths, manifests)]
}

const validate = async (packages: string, paths: string[], manifests: Manifest[]): Promise<string[]> => {
  const problems: string[] = []
  for (const [index, manifest] of manifests.entries()) {
    const url = pathToFileURL(join(packages, 'node_modules', `${paths[index]}.js`)).href
    const { [manifest.kind]: Model } = (await import(url)) as Record<
      string,
      new (
        data: Manifest,
      ) => Validated
    >
    if (!Model) throw new Error(`there is no schema of ${manifest.kind}`)
    try {
      new Model(manifest).validate()
    } catch (error) {
      problems.push(`${manifest.kind} ${manifest.metadata.name}: ${(error as Error).message}`)
    }
  }
  return problems
}
type Validated = { validate(): void }

const compile = (packages: string, paths: string[], manifests: Manifest[]): string[] => {
  const folder = mkdtempSync(join(packages, 'compiled-'))
  const lines = manifests.map(
    (manifest, index) =>
      `import type { I${manifest.kind} as T${index} } from '${paths[index]}'\nexport const m${index}: T${index} = ${JSON.stringify(manifest)}`,
  )
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'esnext',
  ]
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const { stdout, status } = spawnSync(tsc, [...options, '--types', '', 'manifests.ts'], {
    cwd: folder,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true, force: true })
  return status === 0 ? [] : stdout.trim().split('\n')
}
