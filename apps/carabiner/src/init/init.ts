import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type CliContext, CommandError, type Output, requireConfirmation, UsageError } from '@carabiner/cli'
import { writeVaultKeyFile } from '@carabiner/server/operator'
import { type Installation, installationFiles, isLoopback, type Target } from './installation-files.ts'

export type InitOptions = {
  target?: Target
  database?: string
  url?: string
  folder: string
  force?: boolean
}

/** Asks where the service will run, with which database, and at which address. Options answer in advance. */
export const init = async (context: CliContext, options: InitOptions): Promise<Output> => {
  const installation = await ask(context, options)
  const { folder, force = false } = options
  const files = installationFiles(installation, resolve(folder))
  const existing = files.map(({ path }) => path).filter(path => existsSync(join(folder, path)))
  if (existing.length > 0)
    await requireConfirmation(context, `Replace ${existing.join(', ')}?`, { yes: force }, '--force')
  for (const { path, text, mode } of files) writeFile(join(folder, path), text, mode)
  const keyFile = join(folder, 'keys/vault.key')
  const isKeyCreated = createKey(keyFile, isLoopback(installation.baseUrl))
  mkdirSync(join(folder, 'tombstones'), { recursive: true, mode: 0o700 })
  const next = nextCommands(installation, folder)
  return {
    text: [
      ...files.map(({ path }) => `Wrote ${join(folder, path)}.`),
      isKeyCreated
        ? `Created ${keyFile}, the vault key. Keep a copy apart from the database: without it, no stored credential can be decrypted.`
        : `${keyFile} exists already and was kept.`,
      '',
      'Next:',
      ...next.map(command => `  ${command}`),
    ].join('\n'),
    data: {
      files: files.map(({ path }) => join(folder, path)),
      key_file: keyFile,
      key_created: isKeyCreated,
      next,
    },
  }
}

const ask = async ({ prompts, version }: CliContext, options: InitOptions): Promise<Installation> => {
  const target =
    options.target ??
    (await prompts.choose<Target>({
      message: 'Where will it run?',
      option: '--target',
      choices: [
        { value: 'local', label: 'On this machine, to try it or to develop' },
        { value: 'server', label: 'On a server with Node', hint: 'behind a proxy with TLS' },
        { value: 'compose', label: 'With Docker Compose', hint: 'behind a proxy with TLS' },
      ],
    }))
  const own = target === 'compose' ? 'a PostgreSQL of its own' : 'the embedded database'
  const database =
    options.database ??
    (await prompts.text({
      message: `Which database? A PostgreSQL URL, or "embedded" for ${own}`,
      option: '--database',
      defaultValue: 'embedded',
      validate: databaseProblem,
    }))
  const url =
    options.url ??
    (await prompts.text({
      message: 'At which address do browsers and agents reach it?',
      option: '--url',
      defaultValue: target === 'local' ? 'http://localhost:4000' : '',
      validate: value => addressProblem(target, value),
    }))
  const problem = databaseProblem(database) ?? addressProblem(target, url)
  if (problem) throw new UsageError(problem)
  return {
    target,
    databaseUrl: database === 'embedded' ? null : database,
    baseUrl: url.replace(/\/+$/, ''),
    version,
    owner: `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`,
  }
}

const databaseProblem = (text: string): string | undefined =>
  text === 'embedded' || /^postgres(ql)?:\/\/[^\s']+$/.test(text)
    ? undefined
    : 'The database must be "embedded" or a URL such as postgres://user:password@host:5432/name.'

const addressProblem = (target: Target, text: string): string | undefined => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || /['\s]/.test(text) || url.search || url.hash || url.username)
    return 'The address must be a URL such as https://link.example.com.'
  if (url.protocol === 'http:' && (target !== 'local' || !isLoopback(text)))
    return 'The address must use https, except on this machine.'
  return undefined
}

const writeFile = (path: string, text: string, mode: number): void => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // A new file, because the mode of an existing one would stay.
    rmSync(path, { force: true })
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
    chmodSync(path, mode)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

/** An existing vault key is never replaced. */
const createKey = (path: string, isDevelopment: boolean): boolean => {
  try {
    writeVaultKeyFile(path, isDevelopment ? 'development' : 'production')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const CLI_IN_IMAGE = 'node apps/carabiner/bin/carabiner.mjs'

const nextCommands = ({ target, baseUrl, version }: Installation, folder: string): string[] => {
  const enter = folder === '.' ? [] : [`cd ${folder}`]
  if (target === 'compose')
    return [
      ...enter,
      `docker build -t carabiner:${version} -f CLONE/deploy/docker/Dockerfile CLONE    # CLONE: the folder of the source code`,
      'docker compose up -d',
      `docker compose exec carabiner ${CLI_IN_IMAGE} org create "Orbit"`,
      `docker compose exec carabiner ${CLI_IN_IMAGE} people invite you@example.com --operator`,
    ]
  const start = `npx --no-install carabiner start --settings carabiner.env`
  if (isLoopback(baseUrl)) return [...enter, start]
  return [
    ...enter,
    'npx --no-install carabiner doctor --settings carabiner.env',
    'npx --no-install carabiner org create "Orbit" --settings carabiner.env',
    start,
  ]
}
