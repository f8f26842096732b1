import { runs } from '../program/cli-context.ts'
import type { RegisterCommands } from '../program/create-program.ts'
import { completionTree } from './completion-tree.ts'
import { bashScript, fishScript, zshScript } from './shell-scripts.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

export const registerCompletion: RegisterCommands = (program, context) => {
  const completion = program
    .command('completion')
    .description('Print a script that completes commands in a shell')
  completion
    .addArgument(completion.createArgument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .examples(
      'source <(carabiner completion bash)                                        # in ~/.bashrc',
      'source <(carabiner completion zsh)                                         # in ~/.zshrc, after compinit',
      'carabiner completion fish > ~/.config/fish/completions/carabiner.fish',
    )
    .action(
      runs(context, (shell: keyof typeof SCRIPTS) => {
        const script = SCRIPTS[shell](completionTree(program))
        return { text: script.trimEnd(), data: { shell, script } }
      }),
    )
}
