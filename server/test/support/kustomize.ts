import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from './manifests.ts'

type Pairs = Record<string, string>
type Kustomization = {
  apiVersion: string
  kind: string
  namespace?: string
  labels?: { pairs: Pairs; includeSelectors: true }[]
  resources: string[]
  configMapGenerator?: { name: string; behavior?: 'merge'; literals: string[] }[]
  images?: { name: string; newName?: string; newTag?: string }[]
}
const KNOWN = ['apiVersion', 'kind', 'namespace', 'labels', 'resources', 'configMapGenerator', 'images']

type Parse = (text: string) => Promise<any[]>

/**
 * The objects of a folder, as kustomize 5 builds them from the fields that deploy/kubernetes uses: the kubectl of Debian 12 cannot read
 * them. The names of config maps get no hash.
 */
export const buildKustomization = async (folder: string, parse: Parse): Promise<Manifest[]> => {
  const read = (path: string) => parse(readFileSync(join(folder, path), 'utf8'))
  const [file] = (await read('kustomization.yaml')) as [Kustomization]
  const unknown = Object.keys(file).filter(key => !KNOWN.includes(key))
  if (unknown.length > 0) throw new Error(`${folder}: ${unknown.join(', ')} is not supported here`)
  const manifests: Manifest[] = []
  for (const path of file.resources) {
    const isFolder = statSync(join(folder, path)).isDirectory()
    manifests.push(...(isFolder ? await buildKustomization(join(folder, path), parse) : await read(path)))
  }
  for (const generator of file.configMapGenerator ?? []) generate(manifests, generator)
  for (const manifest of manifests) {
    for (const { pairs } of file.labels ?? []) addLabels(manifest, pairs)
    for (const image of file.images ?? []) setImage(manifest, image)
    if (file.namespace !== undefined) Object.assign(manifest.metadata, { namespace: file.namespace })
  }
  return manifests
}

const find = (manifests: Manifest[], { kind, metadata }: Pick<Manifest, 'kind' | 'metadata'>): number => {
  const position = manifests.findIndex(each => each.kind === kind && each.metadata.name === metadata.name)
  if (position === -1) throw new Error(`there is no ${kind} ${metadata.name}`)
  return position
}

const generate = (
  manifests: Manifest[],
  { name, behavior, literals }: { name: string; behavior?: 'merge'; literals: string[] },
): void => {
  const data = Object.fromEntries(literals.map(literal => literal.split(/=(.*)/s).slice(0, 2)))
  const map: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }
  if (behavior === 'merge') Object.assign(manifests[find(manifests, map)]?.data, data)
  else manifests.push(map)
}

/** Labels of the object and of its pods, and the selectors that find these. */
const addLabels = (manifest: Manifest, pairs: Pairs): void => {
  const { kind, spec } = manifest
  const add = (holder: Record<string, any>, name: string) =>
    void (holder[name] = { ...holder[name], ...pairs })
  add(manifest.metadata, 'labels')
  if (spec?.template) add(spec.template.metadata, 'labels')
  if (kind === 'Service') add(spec, 'selector')
  if (kind === 'Deployment') add(spec.selector, 'matchLabels')
  if (kind === 'NetworkPolicy') add(spec.podSelector, 'matchLabels')
}

const setImage = (
  { spec }: Manifest,
  { name, newName = name, newTag }: { name: string; newName?: string; newTag?: string },
): void => {
  for (const container of spec?.template?.spec.containers ?? []) {
    const [image, tag] = String(container.image).split(':')
    if (image === name) container.image = [newName, newTag ?? tag].filter(Boolean).join(':')
  }
}
