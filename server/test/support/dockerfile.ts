export type Instruction = { name: string; value: string }

/** The instructions of a Dockerfile, without comments and with joined lines. */
export const parseDockerfile = (text: string): Instruction[] =>
  text
    .split('\n')
    .filter(line => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, name = '', value = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
      return { name: name.toUpperCase(), value: value.replace(/\s+/g, ' ').trim() }
    })

/** The paths that are copied from the build context. */
export const copiedPaths = (instructions: Instruction[]): string[] =>
  instructions
    .filter(({ name, value }) => name === 'COPY' && !value.startsWith('--from'))
    .flatMap(({ value }) => value.split(' ').slice(0, -1))

const KNOWN = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'ENTRYPOINT', 'CMD']

/** Problems by the usual rules for images: pinned bases, no root, no shell around the process, no secrets. */
export const lintDockerfile = (instructions: Instruction[]): string[] => {
  const valuesOf = (wanted: string) =>
    instructions.filter(({ name }) => name === wanted).map(({ value }) => value)
  const [user] = valuesOf('USER').slice(-1)
  return [
    ...instructions.filter(({ name }) => !KNOWN.includes(name)).map(({ name }) => `${name} is not expected`),
    ...valuesOf('FROM')
      .filter(base => !/^\S+:\d+\.\d+\.\d+-\S+( AS \w+)?$/.test(base))
      .map(base => `the base ${base} has no exact version`),
    ...(user === undefined || /^(0|root)\b/.test(user) || !/^\d+:\d+$/.test(user)
      ? ['the last USER must be a number other than root']
      : []),
    ...['ENTRYPOINT', 'CMD']
      .filter(name => !valuesOf(name).at(-1)?.startsWith('['))
      .map(name => `${name} must be a list`),
    ...valuesOf('WORKDIR')
      .filter(path => !path.startsWith('/'))
      .map(path => `WORKDIR ${path} is relative`),
    ...valuesOf('RUN')
      .filter(command => /\bsudo\b|curl .*\|\s*sh|npm install\b|apt-get upgrade/.test(command))
      .map(command => `RUN ${command} is not repeatable`),
    ...valuesOf('ENV')
      .filter(value => /SECRET|PASSWORD|VAULT_KEY|DATABASE_URL/.test(value))
      .map(() => 'ENV contains a secret'),
  ]
}
