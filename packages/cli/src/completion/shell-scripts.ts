import type { CompletionNode } from './completion-tree.ts'

/** Single quotes are the only safe ones in all three shells. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const quoteForFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const wordsOf = ({ commands, options, values }: CompletionNode): string[] => [
  ...commands.map(({ name }) => name),
  ...values,
  ...options.flatMap(({ flags }) => flags.slice(0, 1)),
]

const valueFlags = (nodes: CompletionNode[]): string[] => [
  ...new Set(
    nodes.flatMap(({ options }) =>
      options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags),
    ),
  ),
]

/** The same in bash and zsh. */
const takesValueFunction = (nodes: CompletionNode[]): string => `_carabiner_takes_value() {
  case "$1" in
    ${valueFlags(nodes).join('|')}) return 0 ;;
  esac
  return 1
}
`

/** Finds the command: the longest path of words that are no options and no values of options. */
export const bashScript = (nodes: CompletionNode[]): string => `# bash completion for carabiner
_carabiner_words() {
  case "$1" in
${nodes.map(node => `    ${quote(node.path)}) echo ${quote(wordsOf(node).join(' '))} ;;`).join('\n')}
  esac
}
_carabiner_choices() {
  case "$1" in
${choiceCases(nodes)
  .map(([key, choices]) => `    ${quote(key)}) echo ${quote(choices.join(' '))} ;;`)
  .join('\n')}
  esac
}
${takesValueFunction(nodes)}_carabiner() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="" path="" word next i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if _carabiner_takes_value "$previous"; then previous=""; continue; fi
    previous="$word"
    case "$word" in -*) continue ;; esac
    next="\${path:+$path }$word"
    if [ -n "$(_carabiner_words "$next")" ]; then path="$next"; fi
  done
  if _carabiner_takes_value "$previous"; then
    local choices="$(_carabiner_choices "$path $previous")"
    if [ -n "$choices" ]; then COMPREPLY=($(compgen -W "$choices" -- "$current")); else compopt -o default; fi
    return
  fi
  COMPREPLY=($(compgen -W "$(_carabiner_words "$path")" -- "$current"))
}
complete -F _carabiner carabiner
`

const choiceCases = (nodes: CompletionNode[]): [key: string, choices: string[]][] =>
  nodes.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .flatMap(({ flags, choices }) => flags.map((flag): [string, string[]] => [`${path} ${flag}`, choices])),
  )

/** zsh runs the same function as bash, with descriptions of its own. */
export const zshScript = (nodes: CompletionNode[]): string => `#compdef carabiner
_carabiner_nodes() {
  case "$1" in
${nodes.map(node => `    ${quote(node.path)}) reply=(${describedWords(node).map(quote).join(' ')}) ;;`).join('\n')}
    *) return 1 ;;
  esac
}
_carabiner_choices() {
  case "$1" in
${choiceCases(nodes)
  .map(([key, choices]) => `    ${quote(key)}) reply=(${choices.map(quote).join(' ')}) ;;`)
  .join('\n')}
    *) return 1 ;;
  esac
}
${takesValueFunction(nodes)}_carabiner() {
  local previous="" path_of_command="" word next i
  local -a reply
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if _carabiner_takes_value "$previous"; then previous=""; continue; fi
    previous="$word"
    case "$word" in -*) continue ;; esac
    next="\${path_of_command:+$path_of_command }$word"
    if _carabiner_nodes "$next"; then path_of_command="$next"; fi
  done
  if _carabiner_takes_value "$previous"; then
    if _carabiner_choices "$path_of_command $previous"; then compadd -a reply; else _files; fi
    return
  fi
  _carabiner_nodes "$path_of_command" && _describe 'carabiner' reply
}
if [ "$funcstack[1]" = "_carabiner" ]; then _carabiner "$@"; else compdef _carabiner carabiner; fi
`

const describedWords = ({ commands, options, values }: CompletionNode): string[] => [
  ...commands.map(({ name, description }) => `${name}:${description.replaceAll(':', ' ')}`),
  ...values,
  ...options.map(({ flags, description }) => `${flags[0]}:${description.replaceAll(':', ' ')}`),
]

/** Each completion has the condition that the words so far are the path of its command. */
export const fishScript = (nodes: CompletionNode[]): string => {
  const lines = nodes.flatMap(node => {
    const condition = `-n ${quoteForFish(`test (__carabiner_path) = ${quoteForFish(node.path)}`)}`
    return [
      ...node.commands.map(
        ({ name, description }) =>
          `complete -c carabiner -f ${condition} -a ${quoteForFish(name)} -d ${quoteForFish(description)}`,
      ),
      ...node.values.map(value => `complete -c carabiner -f ${condition} -a ${quoteForFish(value)}`),
      ...node.options.map(({ flags, description, takesValue, choices }) =>
        [
          'complete -c carabiner',
          condition,
          ...flags.map(flag => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)),
          ...(takesValue ? ['-r'] : []),
          ...(choices.length > 0 ? ['-f', `-a ${quoteForFish(choices.join(' '))}`] : []),
          `-d ${quoteForFish(description)}`,
        ].join(' '),
      ),
    ]
  })
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoteForFish(path))
  return `# fish completion for carabiner
function __carabiner_path
  set -l found ''
  set -l previous ''
  for word in (commandline -opc)[2..]
    if contains -- $previous ${valueFlags(nodes).join(' ')}
      set previous ''
      continue
    end
    set previous $word
    string match -q -- '-*' $word; and continue
    set -l next (string trim "$found $word")
    contains -- $next ${paths.join(' ')}; and set found $next
  end
  echo "$found"
end
complete -c carabiner -e
complete -c carabiner -f
${lines.join('\n')}
`
}
