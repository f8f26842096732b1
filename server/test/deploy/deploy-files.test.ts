import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../src/platform/config.ts'
import { copiedPaths, lintDockerfile, parseDockerfile } from '../support/dockerfile.ts'
import { installedWorkspaces, parseCopy } from '../support/installation/copied-tree.ts'
import {
  packageFolderOf,
  readLockedPackages,
  runtimePackages,
} from '../support/installation/locked-packages.ts'
import { buildOverlay, findManifestProblems, type Manifest, parseYaml } from '../support/manifests.ts'

const ROOT = join(import.meta.dirname, '../../..')
const DEPLOY = join(ROOT, 'deploy')
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'carabiner-deploy-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const run = (command: string, args: string[]) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, HOME: folder },
  })
  if (error) throw error
  return { status, output: stdout + stderr }
}

describe('the manifests for Kubernetes', () => {
  const podOf = (manifests: Manifest[], kind: string) =>
    manifests.find(manifest => manifest.kind === kind)?.spec.template.spec

  for (const overlay of ['production', 'minimal'])
    it(`${overlay}: are valid, without unknown fields, and contain no secret`, async () => {
      const manifests = await buildOverlay(overlay)
      assert.deepEqual(await findManifestProblems(manifests), [])
      const kinds = manifests.map(({ kind }) => kind)
      for (const kind of ['Deployment', 'Service', 'Job', 'NetworkPolicy', 'PersistentVolumeClaim'])
        assert.ok(kinds.includes(kind), kind)
      assert.equal(kinds.includes('HorizontalPodAutoscaler'), overlay === 'production')
      assert.equal(kinds.includes('PodDisruptionBudget'), overlay === 'production')
      assert.ok(!kinds.includes('Secret'))
    })

  it('an unknown field, a wrong type and a missing field are found', async () => {
    const manifests = await buildOverlay('minimal')
    const [container] = podOf(manifests, 'Deployment').containers
    container.readinesProbe = {}
    const [migration] = podOf(manifests, 'Job').containers
    migration.args = 'migrate'
    delete migration.name
    const problems = (await findManifestProblems(manifests)).join('\n')
    assert.match(problems, /readinesProbe/)
    assert.match(problems, /args must be array/)
    assert.match(problems, /required property name/)
  })

  it('containers run without root, on a read-only file system, with probes and a secret that exists', async () => {
    const manifests = await buildOverlay('production')
    for (const pod of [podOf(manifests, 'Deployment'), podOf(manifests, 'Job')]) {
      const [container] = pod.containers
      assert.equal(pod.automountServiceAccountToken, false)
      assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 1000])
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      assert.match(container.image, /^registry\.example\.com\/carabiner:\d+\.\d+\.\d+$/)
      assert.ok(pod.volumes.some(({ secret }: any) => secret?.secretName === 'carabiner'))
    }
    const pod = podOf(manifests, 'Deployment')
    const [container] = pod.containers
    assert.equal(container.livenessProbe.httpGet.path, '/livez')
    assert.equal(container.readinessProbe.httpGet.path, '/readyz')
    assert.ok(pod.terminationGracePeriodSeconds > 30, 'longer than a drain')
    const ports = container.ports.map(({ name, containerPort }: any) => [name, containerPort])
    assert.deepEqual(ports, [
      ['http', 4000],
      ['metrics', 9464],
    ])
  })

  it('metrics can be scraped: the port is configured on all addresses, allowed and annotated', async () => {
    const manifests = await buildOverlay('production')
    const find = (kind: string) => manifests.find(manifest => manifest.kind === kind) as Manifest
    const { data } = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('carabiner'),
    ) as Manifest
    assert.deepEqual([data.METRICS_PORT, data.METRICS_ADDRESS], ['9464', '0.0.0.0'])
    const { annotations } = find('Deployment').spec.template.metadata
    assert.deepEqual(
      [annotations['prometheus.io/scrape'], annotations['prometheus.io/port']],
      ['true', '9464'],
    )
    const sources = find('NetworkPolicy').spec.ingress.filter(({ ports }: any) => ports[0].port === 'metrics')
    assert.deepEqual(
      sources.map(({ from }: any) => Object.values(from[0].namespaceSelector.matchLabels)),
      [['monitoring']],
    )
    // The service accepts the settings, with the files that the secret provides.
    const { DATABASE_URL_FILE: _, VAULT_KEY_FILE: __, ...settings } = data
    assert.deepEqual(readConfig(settings).metrics, { host: '0.0.0.0', port: 9464 })
  })

  it('the ingress keeps secrets in addresses out of its log, and /readyz private', async () => {
    const ingress = (await buildOverlay('production')).find(({ kind }) => kind === 'Ingress') as Manifest
    const { annotations } = ingress.metadata as unknown as { annotations: Record<string, string> }
    assert.equal(annotations['nginx.ingress.kubernetes.io/enable-access-log'], 'false')
    const services = (await buildOverlay('production')).filter(({ kind }) => kind === 'Service')
    const { paths } = ingress.spec.rules[0].http
    const routed = (path: string): boolean => {
      const [best] = paths
        .filter((each: any) => path === each.path || path.startsWith(`${each.path.replace(/\/$/, '')}/`))
        .toSorted((a: any, b: any) => b.path.length - a.path.length)
      return services.some(({ metadata }) => metadata.name === best.backend.service.name)
    }
    assert.deepEqual(['/', '/dashboard', '/livez', '/readyz', '/readyz/'].map(routed), [
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('the largest number of pods fits into the connections that PostgreSQL has by default', async () => {
    const manifests = await buildOverlay('production')
    const { maxReplicas } = manifests.find(({ kind }) => kind === 'HorizontalPodAutoscaler')?.spec ?? {}
    // Per pod: the pool, calls, notifications, and two for jobs. A rolling update adds a pod.
    assert.ok((maxReplicas + 1) * (8 + 2 + 2) < 100, String(maxReplicas))
  })

  it('the selectors of service, budget and policy match the pods of the deployment', async () => {
    const manifests = await buildOverlay('production')
    const find = (kind: string) => manifests.find(manifest => manifest.kind === kind) as Manifest
    const { labels } = find('Deployment').spec.template.metadata
    const matches = (selector: Record<string, string>) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value)
    assert.ok(matches(find('Service').spec.selector))
    assert.ok(matches(find('Deployment').spec.selector.matchLabels))
    assert.ok(matches(find('PodDisruptionBudget').spec.selector.matchLabels))
    const { matchLabels = {}, matchExpressions } = find('NetworkPolicy').spec.podSelector
    assert.ok(matches(matchLabels))
    assert.ok(matchExpressions[0].values.includes(labels['app.kubernetes.io/component']))
  })
})

describe('the image', () => {
  const instructions = parseDockerfile(read('docker/Dockerfile'))

  it('follows the rules for images', () => {
    assert.deepEqual(lintDockerfile(instructions), [])
    const bad = parseDockerfile(
      'FROM node:latest\nUSER root\nRUN npm install\nENV VAULT_KEY=x\nCMD node main.ts',
    )
    assert.equal(lintDockerfile(bad).length, 6)
  })

  it('copies files that exist, and every workspace that the service and its command line need', () => {
    const copied = copiedPaths(instructions)
    for (const path of copied) assert.ok(existsSync(join(ROOT, path)), path)
    const workspaces = new Map(
      [
        'server',
        'packages/contract',
        'packages/detection',
        'packages/cli',
        'apps/carabiner',
        'packages/sdk',
      ].map(path => {
        const { name, dependencies } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'))
        return [name as string, { path, dependencies: Object.keys(dependencies ?? {}) }]
      }),
    )
    const needed = new Set<string>()
    const add = (name: string): void => {
      const workspace = workspaces.get(name)
      if (!workspace || needed.has(workspace.path)) return
      needed.add(workspace.path)
      workspace.dependencies.forEach(add)
    }
    add('carabiner')
    for (const path of needed) {
      assert.ok(copied.includes(`${path}/package.json`), path)
      assert.ok(copied.includes(`${path}/src`), path)
    }
    for (const path of ['server/migrations', 'connectors', 'dashboard'])
      assert.ok(copied.includes(path), path)
    assert.ok(
      instructions.some(({ value }) => value === '--from=dashboard /app/dashboard/dist ./dashboard/dist'),
      'the built dashboard is in the image',
    )
  })

  it('copies every folder of packages that npm installs for the service, and no other', () => {
    const packages = runtimePackages(readLockedPackages(ROOT), installedWorkspaces(instructions))
    const copied = instructions
      .filter(({ name, value }) => name === 'COPY' && value.startsWith('--from=packages '))
      .flatMap(({ value }) => parseCopy(value).sources)
    assert.deepEqual(
      copied.toSorted(),
      [...new Set(packages.map(packageFolderOf))].map(folderPath => `/app/${folderPath}`).toSorted(),
    )
  })

  it('does not install the OAuth server of the sandbox, which is for development', () => {
    const locked = readLockedPackages(ROOT)
    const packages = runtimePackages(locked, installedWorkspaces(instructions))
    const names = ['packages/sandbox', 'node_modules/oidc-provider']
    assert.deepEqual(
      packages.filter(name => name.endsWith('/oidc-provider') || name.endsWith('@carabiner/sandbox')),
      [],
    )
    // Also by `npm prune --omit=dev` in a clone.
    for (const name of names) assert.equal(locked[name]?.dev, true, name)
  })

  it('uses a version of Node that the service supports', () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const [, wanted] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? []
    for (const { value } of instructions.filter(({ name }) => name === 'FROM'))
      assert.ok(value.startsWith(`node:${wanted}.`), value)
  })
})

describe('the compose file', () => {
  it('runs the migration before the service, without root rights or a writable file system', async () => {
    const [compose] = await parseYaml(read('compose/compose.yaml'))
    const { carabiner, migrate, postgres } = compose.services
    assert.equal(carabiner.depends_on.migrate.condition, 'service_completed_successfully')
    assert.equal(migrate.depends_on.postgres.condition, 'service_healthy')
    for (const service of [carabiner, migrate]) {
      assert.equal(service.read_only, true)
      assert.deepEqual(service.cap_drop, ['ALL'])
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
      assert.ok(existsSync(join(DEPLOY, 'compose', service.build.context, service.build.dockerfile)))
    }
    for (const name of [...carabiner.secrets, ...postgres.secrets])
      assert.ok(compose.secrets[name].file, name)
    for (const volume of [...carabiner.volumes, ...postgres.volumes])
      assert.ok((String(volume).split(':')[0] as string) in compose.volumes, volume)
    assert.deepEqual(carabiner.ports, ['127.0.0.1:4000:4000'], 'only the proxy of the machine can connect')
  })
})

describe('the unit for systemd', () => {
  /** The files of an installation do not exist here. */
  const unitHere = (): string => {
    const path = join(folder, 'carabiner.service')
    const text = read('systemd/carabiner.service')
      .replaceAll('/usr/bin/node', process.execPath)
      .replaceAll('/opt/carabiner', ROOT)
    writeFileSync(path, text)
    return path
  }

  it('is valid', () => {
    const { status, output } = run('systemd-analyze', ['verify', '--man=no', unitHere()])
    assert.equal(
      output
        .split('\n')
        .filter(line => line.includes('carabiner.service'))
        .join('\n'),
      '',
    )
    assert.equal(status, 0, output)
  })

  it('is restricted: its exposure is at most 2.0 of 10', () => {
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unitHere()]
    const { status, output } = run('systemd-analyze', args)
    assert.equal(status, 0, output)
  })

  it('stops later than a drain takes', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('systemd/carabiner.service')) ?? []
    assert.ok(Number(seconds) > 30)
  })
})

describe('the proxies', () => {
  const certificate = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')

  it('nginx accepts its configuration', () => {
    const subject = ['-subj', '/CN=link.example.com', '-days', '1', '-nodes']
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', certificate, ...subject],
      {
        stdio: 'ignore',
      },
    )
    const site = read('nginx/carabiner.conf')
      .replace('/etc/nginx/certificate.pem', certificate)
      .replace('/etc/nginx/key.pem', key)
      .replace('/var/log/nginx/carabiner.log', join(folder, 'access.log'))
      // Only root may listen on ports 80 and 443, and nginx tries it.
      .replace(/(listen (?:\[::\]:)?)(80|443)\b/g, '$120$2')
    const path = join(folder, 'nginx.conf')
    // The folders and the log that nginx would use by default belong to root.
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map(name => `${name}_temp_path ${join(folder, name)};`)
      .join('\n')
    writeFileSync(
      path,
      `pid ${join(folder, 'nginx.pid')};\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}\n}\n`,
    )
    const { status, output } = run('nginx', ['-t', '-c', path, '-e', join(folder, 'error.log')])
    assert.equal(status, 0, output)
    assert.doesNotMatch(output, /\[warn\]/)
  })

  it('Caddy accepts its configuration', () => {
    const path = join(DEPLOY, 'caddy/Caddyfile')
    const { status, output } = run('caddy', ['validate', '--adapter', 'caddyfile', '--config', path])
    assert.equal(status, 0, output)
  })
})
