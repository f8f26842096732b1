import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createScriptedModel } from './scripted-model.ts'

/** Returns the model that the environment variables configure. Default: the scripted model. */
export const chooseModel = (environment: NodeJS.ProcessEnv): LanguageModelV4 => {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY, MODEL } = environment
  if (!OPENAI_BASE_URL && !OPENAI_API_KEY && !ANTHROPIC_API_KEY) return createScriptedModel()
  if (!MODEL) throw new Error('Set MODEL to the name of the model to use.')
  // Anthropic supports OpenAI's protocol too.
  const isAnthropic = !OPENAI_BASE_URL && !OPENAI_API_KEY
  const apiKey = isAnthropic ? ANTHROPIC_API_KEY : OPENAI_API_KEY
  const baseURL = isAnthropic
    ? 'https://api.anthropic.com/v1'
    : (OPENAI_BASE_URL ?? 'https://api.openai.com/v1')
  return createOpenAICompatible({ name: 'model', baseURL, ...(apiKey && { apiKey }) }).chatModel(MODEL)
}
