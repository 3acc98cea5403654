// Random play of Chenille in plain C++, to compare the library's kernels with: the shipped rules, the same
// random streams and shuffles, nothing tuned.
//
//     g++ -O3 -march=native -o chenille bench/reference/chenille.cpp
//     ./chenille GAMES [KEY KEY KEY KEY]        keys of the streams: ring, cards, Guepe, Chenilles
//
// Prints games a second and the means of captures, butterflies, decisions and wins of the Chenilles. With the
// keys of a run they are the means of that run.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "stream.h"

enum Card { OEUF, COCON, ENVOL, SOLEIL, PLUS1, PLUS2, TRAVERSE, MEME, KINDS };
using Hand = std::array<int, KINDS>;

struct Offer {
    int size;
    std::array<int, 3> cards;
};

struct Move {
    int from, passed, to;                           // a wasp captures on both of the last two
};

constexpr Hand DECK = {2, 2, 0, 2, 2, 2, 1, 1};
constexpr int PLACES = 12, CATERPILLARS = 8, BUTTERFLIES = 5, CAPTURES = 4, TURNS = 10000;
constexpr int RESERVE = -1, SAVED = -2;

struct Place {
    bool terre;
    int slots;
    int caterpillars = 0;
};

int sum(const Hand& hand, int kinds) {
    int total = 0;
    for (int kind = 0; kind < kinds; kind++) total += hand[kind];
    return total;
}

int number(const Hand& hand) {
    int number = 0;
    for (int kind = 0; kind < KINDS; kind++) number = number * (DECK[kind] + 1) + hand[kind];
    return number;
}

std::vector<std::vector<Offer>> offers_of;          // by the number of a hand

void list_offers(const Hand& hand) {
    auto& offers = offers_of[number(hand)];
    if (!offers.empty()) return;
    for (int a = 0; a < KINDS; a++)
        for (int b = a; b < KINDS; b++)
            for (int c = b; c < KINDS; c++) {
                Hand left = hand;
                left[a]--, left[b]--, left[c]--;
                int rest = sum(left, KINDS), favourable = sum(left, 4);
                if (*std::min_element(left.begin(), left.end()) < 0 || favourable == sum(hand, 4) ||
                    favourable < (rest + 2) / 3)
                    continue;
                offers.push_back({3, {a, b, c}});
                if (rest) list_offers(left);
            }
}

struct Game {
    Stream ring_stream, cards, guepe, chenilles;
    std::array<Place, PLACES> ring = {{{false, 1}, {false, 1}, {false, 1}, {false, 1}, {false, 2}, {false, 2},
                                       {true, 1},  {true, 1},  {true, 1},  {true, 1},  {true, 2},  {true, 2}}};
    int reserve = CATERPILLARS, butterflies = 0, captured = 0, decisions = 0;
    std::array<int, 2> wasps{};
    Hand hand = DECK;
    std::array<Move, 64> moves;
    int count = 0;

    Game(const uint64_t* keys, uint64_t episode)
        : ring_stream(keys[0], episode), cards(keys[1], episode), guepe(keys[2], episode),
          chenilles(keys[3], episode) {
        auto pile = ring;
        for (int place = 0; place < PLACES; place++) {
            int left = PLACES - place, drawn = ring_stream.below(left);
            ring[place] = pile[drawn];
            pile[drawn] = pile[left - 1];
        }
        int place = guepe.below(PLACES / 2);
        wasps = {place, place + PLACES / 2};
        decisions++;
    }

    void add(int from, int passed, int to) { moves[count++] = {from, passed, to}; }

    void list_flights(int card) {
        for (int wasp = 0; wasp < (wasps[0] == wasps[1] ? 1 : 2); wasp++) {
            int from = wasps[wasp], half = (from + PLACES / 2) % PLACES;
            int up = (from + 1) % PLACES, up2 = (from + 2) % PLACES;
            int down = (from + PLACES - 1) % PLACES, down2 = (from + PLACES - 2) % PLACES;
            if (card == TRAVERSE) add(from, half, half);
            if (card == MEME)
                for (int to = 0; to < PLACES; to++)
                    if (to != from && ring[to].terre == ring[from].terre) add(from, to, to);
            if (card == PLUS1) add(from, up, up), add(from, down, down);
            if (card == PLUS2) add(from, up, up2), add(from, down, down2);
            if ((card == PLUS1 || card == PLUS2) && down < up) std::swap(moves[count - 2], moves[count - 1]);
        }
    }

    void list_steps(int card) {
        if (card == OEUF || card == SOLEIL)
            for (int to = 0; reserve && to < PLACES; to++)
                if (ring[to].terre && ring[to].caterpillars < ring[to].slots) add(RESERVE, to, to);
        if (card == COCON || card == SOLEIL)
            for (int from = 0; from < PLACES; from++)
                for (int to = 0; ring[from].terre && ring[from].caterpillars && to < PLACES; to++)
                    if (!ring[to].terre && ring[to].caterpillars < ring[to].slots) add(from, to, to);
        if (card == ENVOL || card == SOLEIL)
            for (int from = 0; from < PLACES; from++)
                if (!ring[from].terre && ring[from].caterpillars) add(from, SAVED, SAVED);
    }

    bool playable(int card) {
        count = 0;
        card >= PLUS1 ? list_flights(card) : list_steps(card);
        return count > 0;
    }

    void carry_out(int card) {
        decisions++;
        auto [from, passed, to] = moves[(card >= PLUS1 ? guepe : chenilles).below(count)];
        if (card >= PLUS1) {
            captured += std::exchange(ring[passed].caterpillars, 0);
            captured += std::exchange(ring[to].caterpillars, 0);
            (wasps[0] == from ? wasps[0] : wasps[1]) = to;
            std::sort(wasps.begin(), wasps.end());
        } else {
            from == RESERVE ? reserve-- : ring[from].caterpillars--;
            to == SAVED ? butterflies++ : ring[to].caterpillars++;
        }
    }

    int turned(Offer& offer) {
        int place = cards.below(offer.size), card = offer.cards[place];
        for (offer.size--; place < offer.size; place++) offer.cards[place] = offer.cards[place + 1];
        return card;
    }

    void turn() {
        const auto& legal = offers_of[number(hand)];
        Offer offer = legal[guepe.below(legal.size())];
        decisions++;
        for (int card : offer.cards) hand[card]--;
        int card = turned(offer);
        bool can = playable(card);
        if (!can && card != SOLEIL) {
            decisions++;
            card = turned(offer);
            can = playable(card);
        }
        if (can) carry_out(card);
        if (!sum(hand, KINDS)) hand = DECK;
    }

    void play() {
        for (int turns = 0; turns < TURNS; turns++) {
            turn();
            if (butterflies >= BUTTERFLIES || captured >= CAPTURES) return;
        }
    }
};

int main(int argc, char** argv) {
    long games = argc > 1 ? std::atol(argv[1]) : 1000000;
    uint64_t keys[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4 && i + 2 < argc; i++) keys[i] = std::strtoull(argv[i + 2], nullptr, 10);
    double captured = 0, butterflies = 0, decisions = 0, won = 0;
    offers_of.resize(number(DECK) + 1);
    list_offers(DECK);
    auto start = std::chrono::steady_clock::now();
    for (long episode = 0; episode < games; episode++) {
        Game game(keys, episode);
        game.play();
        captured += game.captured, butterflies += game.butterflies, decisions += game.decisions;
        won += game.butterflies >= BUTTERFLIES;
    }
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.0f games/s\n", games / took.count());
    std::printf("captured %.6f butterflies %.6f decisions %.6f won %.6f\n", captured / games, butterflies / games,
                decisions / games, won / games);
}
