/** The commands of a shell snippet, without comments. A command may have several lines: by a backslash, or within quotes. */
export const splitCommands = (code: string): string[] => {
  const commands: string[] = []
  let command = ''
  let quote = ''
  for (let at = 0; at < code.length; at++) {
    const character = code[at] as string
    if (quote === '' && character === '\\' && code[at + 1] === '\n') {
      command += ' '
      at++
    } else if (quote === '' && character === '#' && /^$|\s$/.test(command)) {
      while (at + 1 < code.length && code[at + 1] !== '\n') at++
    } else if (quote === '' && character === '\n') {
      commands.push(command)
      command = ''
    } else {
      if (quote === '' && /['"]/.test(character)) quote = character
      else if (character === quote) quote = ''
      command += character
    }
  }
  return [...commands, command].map(text => text.trim()).filter(text => text !== '')
}

/** The words of a command, without assignments before its program. */
export const wordsOf = (command: string): string[] => {
  const words = [...command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word)
  const first = words.findIndex(word => !/^\w+=/.test(word))
  return first === -1 ? [] : words.slice(first)
}

/** Programs that the tests do not run, and the reason. */
export const NOT_RUN: Record<string, string> = {
  source: 'completes commands in the shell of the reader',
  cd: 'changes the folder for the commands after it',
  docker: 'needs Docker',
  kubectl: 'needs a Kubernetes cluster',
  systemctl: 'needs systemd',
  useradd: 'changes the accounts of the machine',
  runuser: 'needs an account of the machine',
  install: 'writes to folders of the system',
  cp: 'writes to folders of the system',
  cat: 'writes to folders of the system',
  mkdir: 'writes to the folder of a deployment',
  openssl: 'writes to the folder of a deployment',
  echo: 'writes to a file or socket of a deployment',
  chmod: 'changes files of a deployment',
  touch: 'writes the deleted-user log',
  find: 'deletes old backups',
  createdb: 'needs an administrator of PostgreSQL',
  sudo: 'needs pgBackRest and root',
  git: 'clones a repository whose address readers fill in',
  nginx: 'needs a running nginx',
  for: 'copies files to other machines',
  scp: 'copies files to other machines',
  grep: 'copies files to other machines',
  done: 'copies files to other machines',
  pip: 'needs Python packages, which `docs/frameworks/python.md` marks as unverified where they were not available',
  claude: 'needs Claude Code and an account',
  node: 'runs the sandbox, which other tests start',
  inspect: 'the Inspector, which server/test/tools/mcp-document.test.ts checks',
  'inspect()': 'the Inspector, which server/test/tools/mcp-document.test.ts checks',
  '}': 'the Inspector, which server/test/tools/mcp-document.test.ts checks',
}
