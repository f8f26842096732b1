import { Interrupted, UsageError } from './output.ts'

/** Questions to the person at the terminal. They are written to standard error, because standard output contains only the result. */
export type Prompts = {
  text(question: Question): Promise<string>
  /** The answer is not shown. */
  secret(question: Question): Promise<string>
  choose<T extends string>(question: Question & { choices: Choice<T>[] }): Promise<T>
  confirm(question: Question): Promise<boolean>
}

export type Question = {
  message: string
  /** The option to use without a terminal. */
  option: string
  defaultValue?: string
  /** Returns a problem, or undefined. */
  validate?: (value: string) => string | undefined
}
export type Choice<T extends string> = { value: T; label: string; hint?: string }

type PromptStreams = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }

export const openPrompts = ({ input, output }: PromptStreams): Prompts => {
  const open = async ({ message, option }: Question) => {
    if (!input.isTTY || !output.isTTY)
      throw new UsageError(`"${message}" cannot be asked without a terminal. Use ${option}.`)
    return import('@clack/prompts')
  }
  const streams = { input, output }
  const checked = ({ validate }: Question) => ({
    ...(validate && { validate: (value: string | undefined) => validate(value ?? '') }),
  })
  return {
    text: async question => {
      const { text } = await open(question)
      const { message, defaultValue } = question
      const placeholder = defaultValue === undefined ? {} : { placeholder: defaultValue, defaultValue }
      const validate = checked({
        ...question,
        ...(question.validate && {
          validate: value => question.validate?.(value === '' ? (defaultValue ?? '') : value),
        }),
      })
      return answered(await text({ message, ...placeholder, ...validate, ...streams }))
    },
    secret: async question => {
      const { password } = await open(question)
      return answered(await password({ message: question.message, ...checked(question), ...streams }))
    },
    choose: async question => {
      const { select } = await open(question)
      const options = question.choices as { value: string; label: string; hint?: string }[]
      return answered(await select({ message: question.message, options, ...streams })) as never
    },
    confirm: async question => {
      const { confirm } = await open(question)
      return answered(await confirm({ message: question.message, initialValue: false, ...streams }))
    },
  }
}

/** A cancelled prompt resolves with a symbol. */
const answered = <T>(answer: T): Exclude<T, symbol> => {
  if (typeof answer === 'symbol') throw new Interrupted()
  return answer as Exclude<T, symbol>
}
