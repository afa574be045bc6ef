// Server-sent events from the pieces in which they arrive.

export interface Message {
  event: string;
  data: string;
  id: string;
}

/** Takes pieces of a stream and gives the messages that they complete. */
export class MessageReader {
  private rest = '';

  take(piece: string): Message[] {
    const blocks = (this.rest + piece).split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.map(read).filter(({data}) => data !== '');
  }
}

function read(block: string): Message {
  const message: Message = {event: 'message', data: '', id: ''};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;  // a comment
    const value = line.slice(colon + 1).replace(/^ /, '');
    const field = line.slice(0, colon);
    if (field === 'data') message.data += (message.data ? '\n' : '') + value;
    if (field === 'event') message.event = value;
    if (field === 'id') message.id = value;
  }
  return message;
}
