import type { Model } from './model.ts'
import { createOpenAiModel } from './openai-model.ts'
import { createScriptedModel } from './scripted-model.ts'

/** A real model where the environment names one, else the scripted one. */
export const chooseModel = (environment: NodeJS.ProcessEnv): Model => {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY, MODEL } = environment
  if (OPENAI_BASE_URL || OPENAI_API_KEY)
    return createOpenAiModel({
      baseUrl: OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
      apiKey: OPENAI_API_KEY,
      model: needs(MODEL),
    })
  if (ANTHROPIC_API_KEY)
    // It speaks OpenAI's language at this address, too.
    return createOpenAiModel({
      baseUrl: 'https://api.anthropic.com/v1',
      apiKey: ANTHROPIC_API_KEY,
      model: needs(MODEL),
    })
  return createScriptedModel()
}

const needs = (model: string | undefined): string => {
  if (!model) throw new Error('Set MODEL to the name of the model to use.')
  return model
}
