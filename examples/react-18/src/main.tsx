import { useLink } from '@carabiner/link/react'
import { type ReactElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

const root = document.getElementById('root') as HTMLElement

/** Strict mode mounts everything twice, which is what this example is for: still one frame and one success. */
const Connect = (): ReactElement => {
  const [said, setSaid] = useState<string[]>([])
  const say = (text: string) => setSaid(earlier => [...earlier, text])
  const { linkToken, linkUrl } = root.dataset
  const { open, isReady, error } = useLink({
    linkToken,
    linkUrl,
    onSuccess: ({ Connector }) => say(`success ${Connector}`),
    onExit: problem => say(`exit ${problem?.code ?? 'clean'}`),
  })
  return (
    <main>
      <button type="button" onClick={open} disabled={!isReady}>
        Connect
      </button>
      <p role="status">{error?.code}</p>
      <ol>
        {said.map((text, index) => (
          <li key={index}>{text}</li>
        ))}
      </ol>
    </main>
  )
}

createRoot(root).render(
  <StrictMode>
    <Connect />
  </StrictMode>,
)
