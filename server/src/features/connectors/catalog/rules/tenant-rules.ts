import type { ConnectorField, ConnectorFile } from '@carabiner/contract'
import { namesIn } from '../../../upstream/templates/template.ts'
import { type Problem, problem, repeated, type Step } from './connector-problem.ts'
import { enteredNames, keyFieldProblems, namesSetBy, patternProblems } from './template-rules.ts'

export const tenantProblems = (file: ConnectorFile): Problem[] => {
  const used = new Set(namesIn(file))
  return [
    ...repeated(enteredNames(file), ['tenant']),
    ...(file.tenant ?? []).flatMap((field, index) => fieldProblems(field, used, ['tenant', index])),
  ]
}

const fieldProblems = (field: ConnectorField, used: ReadonlySet<string>, path: Step[]): Problem[] => {
  const { name, secret, pattern } = field
  const isUsed = [name, ...namesSetBy(field)].some(one => used.has(`tenant.${one}`))
  return [
    ...(secret
      ? [problem([...path, 'secret'], 'must be false, because the value becomes part of addresses')]
      : []),
    ...(isUsed ? [] : [problem([...path, 'name'], `{tenant.${name}} is not used`)]),
    ...keyFieldProblems(field, path),
    ...patternProblems(pattern, [...path, 'pattern']),
    ...choiceProblems(field, path),
  ]
}

const choiceProblems = (field: ConnectorField, path: Step[]): Problem[] => {
  const { choices } = field
  if (!choices) return []
  const names = namesSetBy(field)
  return [
    ...(['pattern', 'placeholder', 'suffix'] as const).flatMap(other =>
      field[other] === undefined ? [] : [problem([...path, other], 'must not be set with choices')],
    ),
    ...repeated(
      choices.map(({ value }) => value),
      [...path, 'choices'],
    ),
    ...choices.flatMap(({ sets = {} }, index) =>
      names
        .filter(name => !Object.hasOwn(sets, name))
        .map(name => problem([...path, 'choices', index], `must set ${name}, as the other choices do`)),
    ),
    ...names
      .filter(name => !/^[a-z][a-z0-9_]*$/.test(name))
      .map(name =>
        problem([...path, 'choices'], `${name} is not a valid name: use lowercase letters, digits and _`),
      ),
  ]
}
