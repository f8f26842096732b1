import type { KeyField } from '../model.ts'
import type { SampleContext } from './sample.ts'

export const sampleKeyField = ({ translate }: SampleContext): KeyField => ({
  name: 'api_key',
  label: translate('API key'),
  hint: null,
  placeholder: null,
  suffix: null,
  choices: null,
  secret: true,
  required: true,
  isFile: false,
  pattern: null,
  value: null,
})

/** The fields of a form that asks for something else than an API key: a text, a file, and a value that may be missing. */
export const sampleCredentialFields = (context: SampleContext): KeyField[] => {
  const field = sampleKeyField(context)
  return [
    { ...field, name: 'client_id', label: context.translate('Client ID'), secret: false },
    { ...field, name: 'key', label: context.translate('Private key'), isFile: true },
    { ...field, name: 'user', label: context.translate('User'), secret: false, required: false },
  ]
}
