import { type ReactElement, useEffect, useLayoutEffect, useState } from 'react'
import { Announcer } from './announcer.tsx'
import { readSetup, type Setup } from './backend.ts'
import { Composer } from './composer.tsx'
import { Orbit } from './icons.tsx'
import { TurnView } from './turn-view.tsx'
import { useChat } from './use-chat.ts'

const SUGGESTIONS = ['List my notes', 'Find notes about kitchen', 'Add a note: call Marta about the flat']
/** The page scrolls automatically only if the user is this close to its end (px). */
const AUTO_SCROLL_DISTANCE = 160

/** A real application takes the user from its own session. */
const signedIn = new URLSearchParams(location.search).get('user') ?? 'ana'

export const ChatPage = (): ReactElement => {
  const [setup, setSetup] = useState<Setup | null>(null)
  const [isDown, setIsDown] = useState(false)
  useEffect(() => void readSetup().then(setSetup, () => setIsDown(true)), [])
  const chat = useChat(signedIn, setup)
  const { turns } = chat
  const last = turns.at(-1)
  const isBusy = last?.state.is === 'streaming' || last?.state.is === 'connecting'

  useLayoutEffect(() => {
    const { scrollHeight } = document.documentElement
    if (turns.length > 0 && scrollHeight - scrollY - innerHeight < AUTO_SCROLL_DISTANCE)
      scrollTo({ top: scrollHeight, behavior: 'instant' })
  }, [turns])

  return (
    <div className="page">
      <Header setup={setup} />
      <main>
        {turns.length === 0 ? (
          <Welcome setup={setup} isDown={isDown} onChoose={chat.send} />
        ) : (
          <ol className="turns" aria-label="Conversation">
            {turns.map(turn => (
              <TurnView
                key={turn.id}
                turn={turn}
                userConfirms={setup?.confirms_approvals === true}
                onConnect={() => chat.connect(turn)}
                onReview={() => chat.review(turn)}
                onContinue={() => chat.goOn(turn)}
                onRetry={() => chat.retry(turn)}
              />
            ))}
          </ol>
        )}
      </main>
      <Announcer turn={last} />
      <Composer
        isBusy={isBusy}
        isReady={setup !== null}
        onSend={chat.send}
        onStop={chat.stop}
        model={setup?.model}
      />
    </div>
  )
}

const Header = ({ setup }: { setup: Setup | null }): ReactElement => (
  <header>
    <p className="product">
      <Orbit />
      Orbit
    </p>
    {setup && (
      <label className="user">
        <span className="hidden">Signed in as</span>
        <select
          value={signedIn}
          onChange={event => {
            location.search = `?${new URLSearchParams({ user: event.target.value })}`
          }}
        >
          {Object.entries(setup.users).map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
    )}
  </header>
)

const Welcome = ({
  setup,
  isDown,
  onChoose,
}: {
  setup: Setup | null
  isDown: boolean
  onChoose: (prompt: string) => void
}): ReactElement => (
  <div className="welcome">
    <h1>{setup ? `Hello, ${setup.users[signedIn]?.split(' ')[0] ?? 'you'}` : 'Hello'}</h1>
    <p>
      Ask about your notes. The first time, you connect the account yourself; Orbit never sees a password.
    </p>
    {isDown && <p role="alert">The assistant cannot be reached. Reload the page to try again.</p>}
    <ul aria-label="Suggestions">
      {SUGGESTIONS.map(prompt => (
        <li key={prompt}>
          <button type="button" className="suggestion" disabled={!setup} onClick={() => onChoose(prompt)}>
            {prompt}
          </button>
        </li>
      ))}
    </ul>
  </div>
)
